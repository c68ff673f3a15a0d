import { describe, expect, it } from 'vitest';
import { type GrantedResources, grantsOf } from '../../infra/grants.ts';
import type { FunctionWiring, TableVerb } from '../../infra/wiring.ts';

const at: GrantedResources<string> = {
  table: 'table',
  index: (name) => `table/${name}`,
  stream: 'stream',
  queue: (name) => `queue/${name}`,
  bus: 'bus',
  secret: 'secret',
  origin: undefined,
  key: 'key',
  undelivered: 'undelivered',
  lateBucket: 'late',
  lateObjects: 'late/*',
  logStreams: 'logs',
};
const aFunction = (wiring: Partial<FunctionWiring<string>>): FunctionWiring<string> => ({
  timeoutSeconds: 1,
  memoryMib: 128,
  table: [],
  ...wiring,
});
/** `action on resource` lines, without the log and key grants that every function has. */
const linesOf = (wiring: Partial<FunctionWiring<string>>): string[] =>
  grantsOf(aFunction(wiring), at)
    .flatMap(({ actions, resources }) => actions.flatMap((action) => resources.map((resource) => `${action} on ${resource}`)))
    .filter((line) => !/^(logs|kms):/.test(line));

describe('a function may', () => {
  it.each<[TableVerb, string[]]>([
    ['read', ['dynamodb:GetItem on table']],
    ['readMany', ['dynamodb:BatchGetItem on table']],
    ['query', ['dynamodb:Query on table']],
    ['queryIndex', ['dynamodb:Query on table/list']],
    ['due', ['dynamodb:Query on table/due']],
    ['commit', ['dynamodb:PutItem on table', 'dynamodb:ConditionCheckItem on table']],
  ])('for the verb %s exactly what it needs', (verb, lines) => expect(linesOf({ table: [verb] })).toEqual(lines));

  it('write with the key only when it commits', () => {
    const keyActions = (table: TableVerb[]) =>
      grantsOf(aFunction({ table }), at).find(({ resources }) => resources.includes('key'))!.actions;
    expect(keyActions(['read'])).toEqual(['kms:Decrypt', 'kms:DescribeKey']);
    expect(keyActions(['commit'])).toContain('kms:Encrypt');
  });
  it('send only to the queues it names', () => expect(linesOf({ sends: ['reports'] })).toEqual(['sqs:SendMessage on queue/reports']));
  it('look only into the queues it names, and take nothing out', () =>
    expect(linesOf({ looksInto: ['reports', 'sweeps'] })).toEqual([
      'sqs:GetQueueAttributes on queue/reports',
      'sqs:GetQueueAttributes on queue/sweeps',
    ]));
  it('take messages only from its own queue', () => {
    expect(linesOf({ queue: 'reports' })).toEqual(
      ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'].map((action) => `${action} on queue/reports`),
    );
  });
  it('publish only on the bus', () => expect(linesOf({ publishes: true })).toEqual(['events:PutEvents on bus']));
  it('read the token keys only when it signs', () => expect(linesOf({ signs: true })).toEqual(['secretsmanager:GetSecretValue on secret']));
  it('write nothing to a log but its own', () => {
    expect(grantsOf(aFunction({}), at)[0]).toEqual({ actions: ['logs:CreateLogStream', 'logs:PutLogEvents'], resources: ['logs'] });
  });
});
