import { EventBridgeClient, PutEventsCommand, PutRuleCommand, PutTargetsCommand } from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { buses } from '../../events/catalogue.ts';
import type { Emulator } from './emulator.ts';
import { expected, until } from './progress.ts';

/** A consumer of the events on the bus. */
export type Listener = { heard(types: readonly string[], withinMs: number): Promise<ReadonlyMap<string, unknown>> };

const clientsOf = ({ endpoint, region, credentials }: Emulator) => {
  const config = { endpoint, region, credentials };
  return { eventBridge: new EventBridgeClient(config), sqs: new SQSClient(config) };
};

/** Listens on a bus as automation would: with a rule for all events of Muster, and a queue as its target. */
export async function listen(emulator: Emulator, busName: string): Promise<Listener> {
  const { eventBridge, sqs } = clientsOf(emulator);
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'listener' }));
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  const Arn = Attributes!.QueueArn!;
  const rule = { Name: 'listener', EventBusName: busName };
  const { RuleArn } = await eventBridge.send(new PutRuleCommand({ ...rule, EventPattern: JSON.stringify({ source: [buses.out.source] }) }));
  const allowed = { Effect: 'Allow', Principal: { Service: 'events.amazonaws.com' }, Action: 'sqs:SendMessage', Resource: Arn };
  const Policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [{ ...allowed, Condition: { ArnEquals: { 'aws:SourceArn': RuleArn } } }],
  });
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy } }));
  await eventBridge.send(new PutTargetsCommand({ Rule: rule.Name, EventBusName: busName, Targets: [{ Id: 'listener', Arn }] }));
  const heard = new Map<string, unknown>();
  return {
    heard: (types, withinMs) =>
      until(`the events ${types.join(', ')} on the bus`, withinMs, async () => {
        for (const { Body, ReceiptHandle } of await receive(sqs, QueueUrl!)) {
          const event = JSON.parse(Body!) as { 'detail-type': string; detail: unknown };
          heard.set(event['detail-type'], event.detail);
          await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        }
        return types.every((type) => heard.has(type)) ? { found: heard } : { seen: [...heard.keys()] };
      }),
  };
}

const receive = async (sqs: SQSClient, QueueUrl: string) =>
  (await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }))).Messages ?? [];

/** Puts a report on the ingest bus, as automation does. */
export async function putReport(emulator: Emulator, busName: string, report: { type: string }): Promise<void> {
  const entry = { EventBusName: busName, Source: buses.ingest.source, DetailType: report.type, Detail: JSON.stringify(report) };
  const answer = await clientsOf(emulator).eventBridge.send(new PutEventsCommand({ Entries: [entry] }));
  expected('the bus to take the report', answer.FailedEntryCount === 0, answer.Entries);
}
