import { unreachable } from '../lib/core/time.ts';
import type { FunctionWiring, TableVerb } from './wiring.ts';
import { type Lead, leadPattern } from './writes.ts';

/** Under which circumstances IAM grants something: by operator, then by key. */
export type Conditions = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

/** Exact actions on exact resources; what a role may do is a list of these. */
export type Grant<R> = { readonly actions: readonly string[]; readonly resources: readonly R[]; readonly conditions?: Conditions };

/** Where the resources of a deployment are: ARNs, tokens of them, or names in a test. */
export type GrantedResources<R> = {
  readonly table: R;
  /** Whether the table tells IAM which partition keys a call names; emulators do not. */
  readonly namesKeys: boolean;
  /** The index named so in the table's schema. */
  readonly index: (name: 'list' | 'due' | 'inverse') => R;
  readonly stream: R;
  readonly queue: (name: string) => R;
  readonly bus: R;
  readonly secret: R;
  /** The secret that holds the keys of the audit. */
  readonly auditSecret: R;
  /** The secret by which functions know calls of the edge; undefined without one. */
  readonly origin: R | undefined;
  readonly key: R;
  /** The queue that takes what Lambda could not run. */
  readonly undelivered: R;
  /** The bucket that takes what would age out of the stream, and the objects in it. */
  readonly lateBucket: R;
  readonly lateObjects: R;
  /** The log streams of the function's own log group. */
  readonly logStreams: R;
};

/** What each verb of the table's port asks of DynamoDB. A transaction is authorised by the actions of its members. */
function tableGrant<R>(verb: TableVerb, { table, index }: GrantedResources<R>): Grant<R> {
  switch (verb) {
    case 'read':
      return { actions: ['dynamodb:GetItem'], resources: [table] };
    case 'readMany':
      return { actions: ['dynamodb:BatchGetItem'], resources: [table] };
    case 'query':
      return { actions: ['dynamodb:Query'], resources: [table] };
    case 'queryIndex':
      // The list index alone: whoever asks the inverse one, too, says so in the wiring.
      return { actions: ['dynamodb:Query'], resources: [index('list')] };
    case 'due':
      return { actions: ['dynamodb:Query'], resources: [index('due')] };
    case 'commit':
      // A plan may rest on any row that its function reads; what it writes has a grant of its own.
      return { actions: ['dynamodb:ConditionCheckItem'], resources: [table] };
    default:
      return unreachable(verb);
  }
}

/**
 * Writes, bound to partitions: DynamoDB names the partition keys of what is written, in a transaction those of its
 * members (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html). "For all
 * values" holds where there are none, so that a call that names no partition is refused apart. `namesKeys` is false of
 * emulators, which name none.
 */
function writeGrant<R>(writes: readonly Lead[], { table, namesKeys }: GrantedResources<R>): Grant<R> {
  const key = 'dynamodb:LeadingKeys';
  return {
    actions: ['dynamodb:PutItem'],
    resources: [table],
    conditions: {
      'ForAllValues:StringLike': { [key]: writes.map(leadPattern) },
      ...(namesKeys && { Null: { [key]: 'false' } }),
    },
  };
}

/**
 * What DynamoDB asks of its caller for a table under a customer-managed key
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html), each action written
 * out.
 */
const keyActions = (writes: boolean): readonly string[] => [
  'kms:Decrypt',
  'kms:DescribeKey',
  ...(writes ? ['kms:Encrypt', 'kms:GenerateDataKey', 'kms:GenerateDataKeyWithoutPlaintext', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'] : []),
];

const consume = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
// Lambda's poller asks for the last one as well; on the stream itself it is enough.
const follow = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'];

/** Everything a function's role may do, from its entry in the wiring alone. */
export function grantsOf<Q extends string, R>(fn: FunctionWiring<Q>, at: GrantedResources<R>): readonly Grant<R>[] {
  return [
    { actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: [at.logStreams] },
    ...fn.table.map((verb) => tableGrant(verb, at)),
    ...(fn.writes ? [writeGrant(fn.writes, at)] : []),
    ...(fn.inverse ? [{ actions: ['dynamodb:Query'], resources: [at.index('inverse')] }] : []),
    { actions: keyActions(fn.table.includes('commit')), resources: [at.key] },
    ...(fn.sends ?? []).map((queue) => ({ actions: ['sqs:SendMessage'], resources: [at.queue(queue)] })),
    ...(fn.looksInto ?? []).map((queue) => ({ actions: ['sqs:GetQueueAttributes'], resources: [at.queue(queue)] })),
    ...(fn.queue ? [{ actions: consume, resources: [at.queue(fn.queue)] }] : []),
    ...(fn.publishes ? [{ actions: ['events:PutEvents'], resources: [at.bus] }] : []),
    ...(fn.signs ? [{ actions: ['secretsmanager:GetSecretValue'], resources: [at.secret] }] : []),
    ...(fn.audits ? [{ actions: ['secretsmanager:GetSecretValue'], resources: [at.auditSecret] }] : []),
    ...(fn.routes && at.origin !== undefined ? [{ actions: ['secretsmanager:GetSecretValue'], resources: [at.origin] }] : []),
    ...(fn.rotates ? [{ actions: ['secretsmanager:PutSecretValue'], resources: [at.secret, at.auditSecret] }] : []),
    ...(fn.everySeconds ? [{ actions: ['sqs:SendMessage'], resources: [at.undelivered] }] : []),
    ...(fn.feed
      ? [
          { actions: follow, resources: [at.stream] },
          { actions: ['s3:ListBucket'], resources: [at.lateBucket] },
          { actions: ['s3:PutObject'], resources: [at.lateObjects] },
        ]
      : []),
  ];
}
