import { describe, expect, it } from 'vitest';
import { grantsOf } from '../../infra/grants.ts';
import type { FunctionWiring, TableVerb } from '../../infra/wiring.ts';
import { namedResources } from '../support/granted-resources.ts';

const aFunction = (wiring: Partial<FunctionWiring<string>>): FunctionWiring<string> => ({
  timeoutSeconds: 1,
  memoryMib: 128,
  table: [],
  ...wiring,
});
/** `action on resource` lines, without the log and key grants that every function has. */
const linesOf = (wiring: Partial<FunctionWiring<string>>): string[] =>
  grantsOf(aFunction(wiring), namedResources)
    .flatMap(({ actions, resources }) => actions.flatMap((action) => resources.map((resource) => `${action} on ${resource}`)))
    .filter((line) => !/^(logs|kms):/.test(line));

describe('a function may', () => {
  it.each<[TableVerb, string[]]>([
    ['read', ['dynamodb:GetItem on table']],
    ['readMany', ['dynamodb:BatchGetItem on table']],
    ['query', ['dynamodb:Query on table']],
    ['queryIndex', ['dynamodb:Query on table/list']],
    ['due', ['dynamodb:Query on table/due']],
    ['commit', ['dynamodb:ConditionCheckItem on table']],
  ])('for the verb %s exactly what it needs', (verb, lines) => expect(linesOf({ table: [verb] })).toEqual(lines));

  it('write only to the partitions it names, and nowhere in a call that names none', () => {
    const grant = grantsOf(aFunction({ writes: ['node', 'deployment'] }), namedResources).find(({ conditions }) => conditions);
    expect(grant).toEqual({
      actions: ['dynamodb:PutItem'],
      resources: ['table'],
      conditions: {
        'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['node#*', 'deployment'] },
        Null: { 'dynamodb:LeadingKeys': 'false' },
      },
    });
  });
  it('write with the key only when it commits', () => {
    const keyActions = (table: TableVerb[]) =>
      grantsOf(aFunction({ table }), namedResources).find(({ resources }) => resources.includes('key'))!.actions;
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
    expect(grantsOf(aFunction({}), namedResources)[0]).toEqual({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: ['logs'],
    });
  });
});
