import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { S3Client } from '@aws-sdk/client-s3';
import type { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { wiring } from '../../infra/wiring.ts';
import { eventBridgeBus } from '../../lib/ports/bus/eventbridge.ts';
import { printKeyRing, ringOfOne } from '../../lib/ports/keys/key-ring.ts';
import { secretKeys } from '../../lib/ports/keys/secrets.ts';
import { s3Objects } from '../../lib/ports/objects/s3.ts';
import { sqsQueue } from '../../lib/ports/queue/sqs.ts';
import { dynamoTable } from '../../lib/ports/table/dynamo.ts';
import type { MusterFunction } from '../../lib/runtime/function.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { noon } from '../../tools/support/a-row.ts';

/** A command of the SDK, as far as it says what is asked of which resource. */
type Command = { readonly constructor: { readonly name: string }; readonly input: Readonly<Record<string, unknown>> };
type Items = readonly Readonly<Record<string, unknown>>[];

/** What IAM is asked when a command is sent: `action on resource`, in the names that the test gives resources. */
const authorised: Readonly<Record<string, (input: Command['input']) => readonly string[]>> = {
  GetItemCommand: () => ['dynamodb:GetItem on table'],
  BatchGetItemCommand: () => ['dynamodb:BatchGetItem on table'],
  QueryCommand: ({ IndexName }) => [`dynamodb:Query on table${IndexName === undefined ? '' : `/${String(IndexName)}`}`],
  PutItemCommand: () => ['dynamodb:PutItem on table'],
  // A transaction is authorised by the actions of its members.
  TransactWriteItemsCommand: ({ TransactItems }) =>
    (TransactItems as Items).flatMap((item) =>
      Object.keys(item).map((kind) => (kind === 'Put' ? 'dynamodb:PutItem on table' : `dynamodb:${kind}Item on table`)),
    ),
  GetQueueAttributesCommand: ({ QueueUrl }) => [`sqs:GetQueueAttributes on ${String(QueueUrl)}`],
  SendMessageCommand: ({ QueueUrl }) => [`sqs:SendMessage on ${String(QueueUrl)}`],
  PutEventsCommand: ({ Entries }) => (Entries as Items).map(({ EventBusName }) => `events:PutEvents on ${String(EventBusName)}`),
  GetSecretValueCommand: ({ SecretId }) => [`secretsmanager:GetSecretValue on ${String(SecretId)}`],
  GetObjectCommand: () => ['s3:GetObject on bucket/*'],
  PutObjectCommand: () => ['s3:PutObject on bucket/*'],
  DeleteObjectCommand: () => ['s3:DeleteObject on bucket/*'],
  ListObjectsV2Command: () => ['s3:ListBucket on bucket'],
  PutSecretValueCommand: ({ SecretId }) => [`secretsmanager:PutSecretValue on ${String(SecretId)}`],
};

/** The partitions that a command writes to; one that only checks a row writes nothing. */
const partitionsWritten = ({ Item, TransactItems = [] }: Command['input']): readonly string[] => {
  const puts = [{ Item }, ...(TransactItems as { readonly Put?: { readonly Item: unknown } }[]).map(({ Put }) => ({ Item: Put?.Item }))];
  return puts.flatMap((put) => (put.Item as { readonly pk: { readonly S: string } } | undefined)?.pk.S ?? []);
};

/** What functions ask of AWS, as it fills: of IAM, and which partitions of the table they write to. */
type Notes = { readonly asked: Set<string>; readonly written: Set<string> };

/** A client of any service that notes what its commands would ask of IAM, and answers everything with this. */
const noting = <C>({ asked, written }: Notes, answer: object = {}): C =>
  ({
    send: async (command: Command) => {
      const { name } = command.constructor;
      for (const pk of partitionsWritten(command.input)) written.add(pk);
      const actions = authorised[name];
      if (!actions) throw new Error(`nobody has written down what ${name} asks of IAM`);
      for (const action of actions(command.input)) asked.add(action);
      return answer;
    },
  }) as C;

/** The ports as they are on AWS, on clients that note what is asked. */
function awsPorts(notes: Notes) {
  const urls = Object.fromEntries(Object.keys(wiring.queues).map((name) => [name, `queue/${name}`]));
  const ring = printKeyRing(ringOfOne(new Uint8Array(32)));
  return {
    table: dynamoTable({ client: noting<DynamoDBClient>(notes), tableName: 'table' }),
    queue: sqsQueue({ client: noting<SQSClient>(notes), urls }),
    objects: s3Objects({ client: noting<S3Client>(notes, { IsTruncated: false }), bucket: 'bucket', prefix: 'table' }),
    bus: eventBridgeBus({ client: noting<EventBridgeClient>(notes, { Entries: [] }), busName: 'bus' }),
    keys: secretKeys({ client: noting<SecretsManagerClient>(notes, { SecretString: ring }), secretId: 'secret', now: () => noon }),
    auditKeys: secretKeys({
      client: noting<SecretsManagerClient>(notes, { SecretString: ring }),
      secretId: 'audit-secret',
      now: () => noon,
      keepsAll: true,
    }),
  };
}

/**
 * The same port, whose every call is also made of the adapter on AWS, for what that asks of IAM; the port's own answer
 * counts.
 */
function both<P extends object>(port: P, aws: P): P {
  return new Proxy(port, {
    get: (target, verb) => {
      const own: unknown = Reflect.get(target, verb);
      const there: unknown = Reflect.get(aws, verb);
      if (typeof own !== 'function' || typeof there !== 'function') return own;
      return (...given: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(own, target, given);
        const noted: unknown = Reflect.apply(there, aws, given);
        return answer instanceof Promise ? Promise.all([answer, noted]).then(([first]: unknown[]) => first) : answer;
      };
    },
  });
}

/**
 * The function, and the sets that fill while it runs: with what it asks of AWS, and with the partitions that it writes
 * to.
 */
export function asking(fn: MusterFunction): {
  readonly fn: MusterFunction;
  readonly asked: ReadonlySet<string>;
  readonly written: ReadonlySet<string>;
} {
  const notes = { asked: new Set<string>(), written: new Set<string>() };
  const aws = awsPorts(notes);
  const on = (shell: Shell): Shell => ({
    ...shell,
    table: both(shell.table, { ...aws.table, meter: shell.table.meter }),
    queue: both(shell.queue, aws.queue),
    bus: both(shell.bus, aws.bus),
    ...(shell.objects && { objects: both(shell.objects, aws.objects) }),
    keys: both(shell.keys, aws.keys),
    auditKeys: both(shell.auditKeys, aws.auditKeys),
  });
  const handle = (what: never, shell: Shell) => (fn.handle as (what: never, shell: Shell) => unknown)(what, on(shell));
  return { fn: { ...fn, handle } as MusterFunction, ...notes };
}
