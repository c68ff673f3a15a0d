import middy from '@middy/core';
import type {
  APIGatewayProxyEventV2,
  APIGatewayProxyStructuredResultV2,
  Context,
  DynamoDBBatchResponse,
  DynamoDBStreamEvent,
  ScheduledEvent,
  SQSBatchResponse,
  SQSEvent,
  SQSRecord,
} from 'aws-lambda';
import type { Letter, Message } from '../queue/queue.ts';
import { unmarshalRow } from '../table/codec.ts';
import type { FeedImage } from '../table/table.ts';
import type { EpochMs } from '../units.ts';
import type { FeedFunction, MusterFunction, QueueFunction, RouteFunction, ScheduleFunction } from './function.ts';
import type { Shell } from './shell.ts';

/** Binds a function to AWS: the Lambda handler for its source, with a shell made once per environment on first use. */
export function lambda(declared: MusterFunction, makeShell: () => Shell) {
  let made: Shell | undefined;
  const shell = (): Shell => {
    made ??= makeShell();
    return made;
  };
  switch (declared.on) {
    case 'route':
      return middy((event: APIGatewayProxyEventV2, context: Context) => answer(declared, event, context, shell()));
    case 'queue':
      return middy((event: SQSEvent) => consume(declared, event, shell()));
    case 'schedule':
      return middy((event: ScheduledEvent | SQSEvent) => run(declared, event, shell()));
    case 'feed':
      return middy((event: DynamoDBStreamEvent) => follow(declared, event, shell()));
  }
}

async function answer(
  fn: RouteFunction,
  event: APIGatewayProxyEventV2,
  context: Context,
  shell: Shell,
): Promise<APIGatewayProxyStructuredResultV2> {
  const body = event.body ?? '';
  const reply = await fn.handle(
    {
      id: context.awsRequestId,
      method: event.requestContext.http.method,
      path: event.rawPath,
      query: event.rawQueryString,
      header: (name) => event.headers[name],
      body: event.isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body,
      source: event.requestContext.http.sourceIp,
    },
    shell,
  );
  return { statusCode: reply.status, headers: { ...reply.headers }, body: reply.body ?? '' };
}

const messageOf = ({ messageId, body, attributes, messageAttributes }: SQSRecord): Message => ({
  id: messageId,
  body,
  via: messageAttributes['via']?.stringValue === 'door' ? 'door' : 'bus',
  sentAt: Number(attributes.SentTimestamp) as EpochMs,
  receives: Number(attributes.ApproximateReceiveCount),
  ...letterOf(messageAttributes['letter']?.stringValue),
});

/** Only who may send to our queues can set attributes: a rule of the ingest bus cannot. */
const letterOf = (text: string | undefined): Pick<Message, 'letter'> => (text === undefined ? {} : { letter: JSON.parse(text) as Letter });

async function consume(fn: QueueFunction, event: SQSEvent, shell: Shell): Promise<SQSBatchResponse> {
  const failed = await fn.handle(event.Records.map(messageOf), shell);
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}

async function run(fn: ScheduleFunction, event: ScheduledEvent | SQSEvent, shell: Shell): Promise<SQSBatchResponse> {
  await fn.handle('Records' in event ? 'message' : 'rule', shell);
  return { batchItemFailures: [] };
}

async function follow(fn: FeedFunction, event: DynamoDBStreamEvent, shell: Shell): Promise<DynamoDBBatchResponse> {
  const images = event.Records.flatMap((record): FeedImage[] => {
    const image = record.dynamodb?.NewImage;
    return image ? [{ offset: record.dynamodb?.SequenceNumber ?? '', row: unmarshalRow(image as Parameters<typeof unmarshalRow>[0]) }] : [];
  });
  await fn.handle(images, shell);
  return { batchItemFailures: [] };
}
