import { unreachable } from '../lib/core/time.ts';
import type { FunctionWiring, TableVerb } from './wiring.ts';
import { type Lead, leadPattern } from './writes.ts';

/** The conditions under which IAM grants something: by operator, then by key. */
export type Conditions = Readonly<Record<string, Readonly<Record<string, string | readonly string[]>>>>;

/** Exact actions on exact resources. The rights of a role are a list of these. */
export type Grant<R> = { readonly actions: readonly string[]; readonly resources: readonly R[]; readonly conditions?: Conditions };

/** Where the resources of a deployment are: ARNs, tokens of them, or names in a test. */
export type GrantedResources<R> = {
  readonly table: R;
  /** Whether the table tells IAM which partition keys a call names; emulators do not. */
  readonly namesKeys: boolean;
  /** The index of that name in the table's schema. */
  readonly index: (name: 'list' | 'due' | 'inverse') => R;
  readonly stream: R;
  readonly queue: (name: string) => R;
  readonly bus: R;
  readonly secret: R;
  /** The secret that holds the keys of the audit. */
  readonly auditSecret: R;
  /** The secret by which functions recognise calls from the edge; undefined without an edge. */
  readonly origin: R | undefined;
  readonly key: R;
  /** The queue for asynchronous starts that Lambda could not run. */
  readonly undelivered: R;
  /** The bucket for records that would age out of the stream, and the objects in it. */
  readonly lateBucket: R;
  readonly lateObjects: R;
  /** The bucket for what can be made again, and the objects in it. */
  readonly objectsBucket: R;
  readonly objects: R;
  /** The log streams of the function's own log group. */
  readonly logStreams: R;
};

/** The DynamoDB actions of each verb of the table's port. A transaction is authorised by the actions of its members. */
function tableGrant<R>(verb: TableVerb, { table, index }: GrantedResources<R>): Grant<R> {
  switch (verb) {
    case 'read':
      return { actions: ['dynamodb:GetItem'], resources: [table] };
    case 'readMany':
      return { actions: ['dynamodb:BatchGetItem'], resources: [table] };
    case 'query':
      return { actions: ['dynamodb:Query'], resources: [table] };
    case 'queryIndex':
      // Only the list index: a function that queries the inverse index too is marked `inverse` in the wiring.
      return { actions: ['dynamodb:Query'], resources: [index('list')] };
    case 'due':
      return { actions: ['dynamodb:Query'], resources: [index('due')] };
    case 'commit':
      // A plan may depend on any row that its function reads; writes have a grant of their own.
      return { actions: ['dynamodb:ConditionCheckItem'], resources: [table] };
    default:
      return unreachable(verb);
  }
}

/**
 * Writes, limited to partitions: DynamoDB gives IAM the partition keys of a write, in a transaction those of its
 * members (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/specifying-conditions.html). "For all
 * values" also matches no values, so a second condition refuses calls that name no partition. `namesKeys` is false for
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
 * The KMS actions that DynamoDB requires of a caller for a table under a customer-managed key
 * (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html), each action written
 * out.
 */
const keyActions = (writes: boolean): readonly string[] => [
  'kms:Decrypt',
  'kms:DescribeKey',
  ...(writes ? ['kms:Encrypt', 'kms:GenerateDataKey', 'kms:GenerateDataKeyWithoutPlaintext', 'kms:ReEncryptFrom', 'kms:ReEncryptTo'] : []),
];

/**
 * Objects of the bucket, by their keys. A function that reads may list, too: without that right S3 answers 403 rather
 * than 404 for an object that is not there.
 */
function objectsGrants<R>(objects: 'reads' | 'stores' | 'keeps', { objectsBucket, objects: all, key }: GrantedResources<R>): Grant<R>[] {
  const reading = [
    { actions: ['s3:ListBucket'], resources: [objectsBucket] },
    { actions: ['s3:GetObject'], resources: [all] },
  ];
  if (objects === 'reads') return reading;
  return [
    ...reading,
    { actions: objects === 'keeps' ? ['s3:PutObject', 's3:DeleteObject'] : ['s3:PutObject'], resources: [all] },
    { actions: ['kms:GenerateDataKey'], resources: [key] },
  ];
}

const consume = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];
// Lambda's poller calls the last one as well; a grant on the stream itself is enough.
const readStream = ['dynamodb:DescribeStream', 'dynamodb:GetRecords', 'dynamodb:GetShardIterator', 'dynamodb:ListStreams'];

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
    ...(fn.objects ? objectsGrants(fn.objects, at) : []),
    ...(fn.everySeconds ? [{ actions: ['sqs:SendMessage'], resources: [at.undelivered] }] : []),
    ...(fn.feed
      ? [
          { actions: readStream, resources: [at.stream] },
          { actions: ['s3:ListBucket'], resources: [at.lateBucket] },
          { actions: ['s3:PutObject'], resources: [at.lateObjects] },
        ]
      : []),
  ];
}
