import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, test } from 'vitest';
import { Conflict, Later } from '../../../../lib/core/errors.ts';
import { dynamoTable } from '../../../../lib/ports/table/dynamo.ts';
import type { Table } from '../../../../lib/ports/table/table.ts';
import { aRow, check, put } from '../../../../tools/support/a-row.ts';
import { type Answer, type CannedService, cannedService, refusal } from '../../../support/canned-service.ts';

let service: CannedService;
afterEach(() => service.close());

async function tableThatMeets(...answers: Answer[]): Promise<Table> {
  service = await cannedService(...answers);
  return dynamoTable({ client: new DynamoDBClient(service.client), tableName: 'muster' });
}

const cancelled = (...codes: string[]): Answer =>
  refusal('TransactionCanceledException', { CancellationReasons: codes.map((Code) => ({ Code })) });

describe('what DynamoDB answers when it does not do it', () => {
  test.each([
    { what: 'throttling', answer: refusal('ProvisionedThroughputExceededException') },
    { what: 'a limit of requests', answer: refusal('RequestLimitExceeded') },
    { what: 'the same transaction still under way', answer: refusal('TransactionInProgressException') },
    { what: 'a fault of its own', answer: refusal('InternalServerError', {}, 500) },
    { what: 'that it is away', answer: refusal('ServiceUnavailable', {}, 503) },
    { what: 'a transaction cancelled by throttling', answer: cancelled('None', 'ThrottlingError') },
  ])('$what is transient', async ({ answer }) => {
    const table = await tableThatMeets(answer);
    await expect(table.commit([put(aRow()), check({ pk: 'zone' }, 1)])).rejects.toThrow(Later);
  });

  test('a single put is throttled like all else', async () => {
    const table = await tableThatMeets(refusal('ThrottlingException'));
    await expect(table.commit([put(aRow())])).rejects.toMatchObject({ code: 'service.busy', retry: 'later' });
  });

  test('no answer at all is transient', async () => {
    const table = await tableThatMeets({ body: {} });
    await service.close();
    await expect(table.read(aRow().key)).rejects.toMatchObject({ code: 'service.busy', retry: 'later' });
  });

  test('a request that it does not understand is our fault, and no transient failure', async () => {
    const table = await tableThatMeets(refusal('ValidationException'));
    await expect(table.read(aRow().key)).rejects.toMatchObject({ name: 'ValidationException' });
    await expect(table.commit([put(aRow())])).rejects.toMatchObject({ name: 'ValidationException' });
  });

  test('a row that another transaction is writing is a conflict, and named', async () => {
    const table = await tableThatMeets(
      cancelled('None', 'TransactionConflict', 'ConditionalCheckFailed'),
      refusal('TransactionConflictException'),
    );
    const changes = [put(aRow({ pk: 'a' })), put(aRow({ pk: 'b' })), check({ pk: 'c' }, 1)];
    await expect(table.commit(changes)).rejects.toMatchObject({ name: 'Conflict', row: 'b|node' });
    await expect(table.commit([put(aRow())])).rejects.toThrow(Conflict);
  });

  test('keys that it leaves out of a batch are asked for again', async () => {
    const item = (pk: string) => ({ pk: { S: pk }, sk: { S: 'node' }, rev: { N: '1' } });
    const table = await tableThatMeets(
      { body: { Responses: { muster: [item('a')] }, UnprocessedKeys: { muster: { Keys: [{ pk: { S: 'b' }, sk: { S: 'node' } }] } } } },
      { body: { Responses: { muster: [item('b')] }, UnprocessedKeys: {} } },
    );
    const rows = await table.readMany(['a', 'b'].map((pk) => ({ pk, sk: 'node' })));
    expect(rows.map((row) => row?.key.pk)).toEqual(['a', 'b']);
    expect(service.asked[1]!.body['RequestItems']).toEqual({ muster: { Keys: [{ pk: { S: 'b' }, sk: { S: 'node' } }] } });
  });

  test('keys that it leaves out time and again are a transient failure', async () => {
    const table = await tableThatMeets({
      body: { Responses: {}, UnprocessedKeys: { muster: { Keys: [{ pk: { S: 'a' }, sk: { S: 'node' } }] } } },
    });
    await expect(table.readMany([{ pk: 'a', sk: 'node' }])).rejects.toMatchObject({ code: 'service.busy' });
    expect(service.asked).toHaveLength(5);
  });
});
