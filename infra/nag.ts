import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import type { IConstruct } from 'constructs';
import type { MusterApp } from './muster-app.ts';
import { type Data, lateObjects } from './stacks/data.ts';
import { type FunctionWiring, wiring } from './wiring.ts';

/** Checks every synthesis with cdk-nag's AwsSolutions and Serverless packs; their findings stop it. */
export const addPacks = (app: App): void => Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));

type Accepted = { readonly on: readonly IConstruct[]; readonly id: `${'AwsSolutions' | 'Serverless'}-${string}`; readonly reason: string };

/** The findings that we accept: where, by name, and why. Every other finding is an error. */
const accepted = ({ data, control, api, edge, identity }: MusterApp): readonly Accepted[] => [
  {
    on: [data.secret],
    id: 'AwsSolutions-SMG4',
    reason:
      'An administrator rotates the token keys (muster keys rotate): a schedule would not know whether tokens of the retired key are in use.',
  },
  {
    on: [data.auditSecret],
    id: 'AwsSolutions-SMG4',
    reason:
      'An administrator replaces the keys of the audit (muster keys rotate --audit), and the audit records it; no key is ever retired.',
  },
  {
    on: [data.late],
    id: 'AwsSolutions-S1',
    reason: 'Only Lambda writes here, and only when the feed failed for 23 hours; a log of that would be another bucket to watch.',
  },
  {
    on: [data.objects],
    id: 'AwsSolutions-S1',
    reason: 'Only the function that stores the index of searches writes here, and all of it can be made again.',
  },
  {
    on: Object.entries<FunctionWiring<string>>(wiring.functions).flatMap(([name, { objects }]) =>
      objects ? control.functions.get(name)! : [],
    ),
    id: `AwsSolutions-IAM5[Resource::${seenFromOtherStacks(data, data.objects.bucketArn)}/${seenFromOtherStacks(data, data.table.tableName)}/*]`,
    reason: 'The names of segments are made of their bytes; all are below one prefix of one bucket.',
  },
  {
    on: [control.functions.get('publish')!],
    id: `AwsSolutions-IAM5[Resource::${seenFromOtherStacks(data, data.late.bucketArn)}/${lateObjects}]`,
    reason: 'Lambda names the objects of late records itself: by mapping, shard and time, below one prefix of one bucket.',
  },
  {
    on: identity ? [identity.pool] : [],
    id: 'AwsSolutions-COG8',
    reason: 'The plus plan costs money for each user and watches for leaked passwords; here every user must have a second factor.',
  },
  { on: [control.undelivered], id: 'AwsSolutions-SQS3', reason: 'It is a dead-letter queue, of rules and of asynchronous starts.' },
  {
    on: [control.undelivered, ...[...control.queues.values()].map(({ dead }) => dead)],
    id: 'Serverless-SQSRedrivePolicy',
    reason: 'A dead-letter queue is where messages end; an alarm fires above zero.',
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
    reason: 'The X-Ray SDK and daemon end in 2027; ids and log codes show the path of a report.',
  },
  ...(data.origin
    ? ([
        {
          on: [data.origin],
          id: 'AwsSolutions-SMG4',
          reason: 'The origin secret is rotated by hand, as in the runbook: CloudFront must be deployed between its two halves.',
        },
      ] as const)
    : []),
  ...(edge
    ? ([
        {
          on: [edge.distribution],
          id: 'AwsSolutions-CFR1',
          reason: 'Nodes and client systems are wherever their owner has machines; no country can be excluded.',
        },
        {
          on: [edge.logs],
          id: 'AwsSolutions-S1',
          reason: 'It holds access logs; a log of writes to the log would be another such bucket.',
        },
      ] as const)
    : []),
  {
    on: [api.api],
    id: 'AwsSolutions-APIG4',
    reason: 'Every function verifies its callers before it parses anything: signatures over the body, bearer tokens, membership tokens.',
  },
];

/** Records the accepted findings in the construct tree, where the packs look for them. */
export function acknowledge(made: MusterApp): void {
  for (const { on, id, reason } of accepted(made)) for (const construct of on) Validations.of(construct).acknowledge({ id, reason });
}

/** An attribute as the packs print it in another stack's policy: the name of the export that carries it. */
function seenFromOtherStacks(data: Data, attribute: string): string {
  const imported = data.resolve(data.exportValue(attribute)) as { 'Fn::ImportValue': string };
  return imported['Fn::ImportValue'];
}
