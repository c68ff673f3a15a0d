import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import type { MusterApp } from './muster-app.ts';
import { type Data, lateObjects } from './stacks/data.ts';

/** Has every synthesis checked by cdk-nag's AwsSolutions and Serverless packs; what they find stops it. */
export const addPacks = (app: App): void => Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));

type Accepted = { readonly on: readonly IConstruct[]; readonly id: `${'AwsSolutions' | 'Serverless'}-${string}`; readonly reason: string };

/** The findings we know and accept: where, by name, and why. Whatever else is found is an error. */
const accepted = ({ data, control, api, open }: MusterApp): readonly Accepted[] => [
  {
    on: [data.secret],
    id: 'AwsSolutions-SMG4',
    reason: 'Rotation of the token keys comes with identities; until then a second key could not be told from a forged one.',
  },
  {
    on: [data.late],
    id: 'AwsSolutions-S1',
    reason: 'Only Lambda writes here, and only when the feed failed for 23 hours; a log of that would be another bucket to watch.',
  },
  {
    on: [control.functions.get('publish')!],
    id: `AwsSolutions-IAM5[Resource::${arnAsSeenFromOtherStacks(data)}/${lateObjects}]`,
    reason: 'Lambda names the objects of late records itself: by mapping, shard and time, below one prefix of one bucket.',
  },
  { on: [control.undelivered], id: 'AwsSolutions-SQS3', reason: 'It is a dead-letter queue, of rules and of asynchronous starts.' },
  {
    on: [control.undelivered, ...[...control.queues.values()].map(({ dead }) => dead)],
    id: 'Serverless-SQSRedrivePolicy',
    reason: 'A dead-letter queue is where messages end; an alarm stands above zero.',
  },
  {
    on: [...control.functions.values()],
    id: 'Serverless-LambdaDLQ',
    reason:
      'Only the sweep is started asynchronously, and it has a failure destination; everything else has a caller, a queue or the stream.',
  },
  {
    on: control.mappingsFromQueues,
    id: 'Serverless-LambdaEventSourceMappingDestination',
    reason: 'Lambda offers none for a queue; the queue has dead letters of its own.',
  },
  {
    on: [...control.functions.values()],
    id: 'Serverless-LambdaTracing',
    reason: 'The X-Ray SDK and daemon end in 2027; the path of a report shows in its ids and in the log codes.',
  },
  ...(open
    ? ([
        {
          on: [api.api],
          id: 'AwsSolutions-APIG4',
          reason: 'Open doors exist in the account of the emulators alone; the Api stack refuses them in any other.',
        },
      ] as const)
    : []),
];

/** Records what is accepted in the construct tree, where the packs look for it. */
export function acknowledge(made: MusterApp): void {
  for (const { on, id, reason } of accepted(made)) for (const construct of on) Validations.of(construct).acknowledge({ id, reason });
}

/** How the packs print the bucket's ARN in another stack's policy: the name of the export it arrives by. */
function arnAsSeenFromOtherStacks(data: Data): string {
  const imported = data.resolve(data.exportValue(data.late.bucketArn)) as { 'Fn::ImportValue': string };
  return imported['Fn::ImportValue'];
}
