import {
  BatchGetItemCommand,
  type ConsumedCapacity,
  type DynamoDBClient,
  GetItemCommand,
  type KeysAndAttributes,
  PutItemCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { Conflict, Later } from '../../core/errors.ts';
import { askService } from '../aws/ask-service.ts';
import { type Item, marshal, unmarshalRow } from './codec.ts';
import { type Admitted, admit, distinctKeys } from './limits.ts';
import { newMeter } from './meter.ts';
import { isInRange, isOver, remaining, type SortRange } from './order.ts';
import { indexSchema } from './schema.ts';
import { dueLimitMax, type Key, type Meter, nameOf, type Table } from './table.ts';

/** Rounds of reading again keys that DynamoDB left out of a batch, which it does over 16 MB and when it is busy. */
const batchRoundsMax = 5;

type At = { readonly client: DynamoDBClient; readonly tableName: string };

/** The table in DynamoDB: maps our verbs to its calls and counts the units that it reports. */
export function dynamoTable(at: At): Table {
  const meter = newMeter();
  return { meter, ...rowReads(at, meter), ...indexReads(at, meter), commit: async (changes) => commit(at, meter, admit(changes)) };
}

function rowReads({ client, tableName }: At, meter: Meter): Pick<Table, 'read' | 'readMany' | 'query'> {
  return {
    read: async (key) => {
      const get = new GetItemCommand({ TableName: tableName, Key: marshal(key), ConsistentRead: true, ReturnConsumedCapacity: 'INDEXES' });
      const { Item: item, ConsumedCapacity } = await askService('read', client.send(get));
      countRead(meter, ConsumedCapacity);
      return item && unmarshalRow(item);
    },
    readMany: async (keys, how = 'now') => {
      const distinct = [...distinctKeys(keys).values()].map(marshal);
      const items = distinct.length === 0 ? [] : await batchGet({ client, tableName }, meter, distinct, how === 'now');
      const rows = new Map(items.map(unmarshalRow).map((row) => [nameOf(row.key), row]));
      return keys.map((key) => rows.get(nameOf(key)));
    },
    query: async ({ pk, from, to, after, limit, descending }) => {
      if (isOver({ from, to }, after, descending)) return { items: [] };
      const { items, last } = await queryPage({ client, tableName }, meter, {
        ...conditionOf('pk', pk, 'sk', { from, to }),
        ConsistentRead: true,
        ScanIndexForward: !descending,
        Limit: limit,
        ...(after !== undefined && isInRange(after, { from, to }) && { ExclusiveStartKey: marshal({ pk, sk: after }) }),
      });
      return { items: items.map(unmarshalRow), ...(last && { next: last['sk']!.S! }) };
    },
  };
}

function indexReads(at: At, meter: Meter): Pick<Table, 'queryIndex' | 'due'> {
  return {
    queryIndex: async ({ index, pk, from, to, after, limit }) => {
      const { partitionKey, sortKey } = indexSchema(index);
      if (isOver({ from, to }, after)) return { items: [] };
      // To continue in an index DynamoDB needs the row's key too, which `after` does not contain: continue from the
      // least key behind it.
      const range = remaining({ from, to }, after === undefined ? undefined : `${after}\u0000`);
      const condition = conditionOf(partitionKey.name, pk, sortKey.name, range);
      const { items, last } = await queryPage(at, meter, { IndexName: index, ...condition, Limit: limit });
      return {
        items: items.map((item) => ({ key: keyOf(item), sk: item[sortKey.name]!.S! })),
        ...(last && { next: last[sortKey.name]!.S! }),
      };
    },
    due: async (shard, now, limit) => {
      const { items } = await queryPage(at, meter, {
        IndexName: 'due',
        KeyConditionExpression: 'due = :shard AND wakeAt <= :now',
        ExpressionAttributeValues: marshal({ ':shard': shard, ':now': now }),
        Limit: Math.min(limit, dueLimitMax),
      });
      return items.map(keyOf);
    },
  };
}

const keyOf = (item: Item): Key => ({ pk: item['pk']!.S!, sk: item['sk']!.S! });

async function batchGet({ client, tableName }: At, meter: Meter, keys: Item[], consistent: boolean): Promise<readonly Item[]> {
  const found: Item[] = [];
  let wanted: KeysAndAttributes = { Keys: keys, ConsistentRead: consistent };
  for (let round = 1; round <= batchRoundsMax; round++) {
    const batch = new BatchGetItemCommand({ RequestItems: { [tableName]: wanted }, ReturnConsumedCapacity: 'INDEXES' });
    const { Responses, UnprocessedKeys, ConsumedCapacity } = await askService('readMany', client.send(batch));
    for (const capacity of ConsumedCapacity ?? []) countRead(meter, capacity);
    found.push(...(Responses?.[tableName] ?? []));
    const left = UnprocessedKeys?.[tableName];
    if (!left?.Keys?.length) return found;
    wanted = left;
  }
  throw new Later('service.busy', `readMany: ${wanted.Keys!.length} of ${keys.length} keys were left out ${batchRoundsMax} times`);
}

async function queryPage({ client, tableName }: At, meter: Meter, query: Omit<QueryCommandInput, 'TableName'>) {
  const command = new QueryCommand({ TableName: tableName, ReturnConsumedCapacity: 'INDEXES', ...query });
  const { Items = [], LastEvaluatedKey, ConsumedCapacity } = await askService('query', client.send(command));
  countRead(meter, ConsumedCapacity);
  return { items: Items, last: LastEvaluatedKey };
}

function conditionOf(partitionName: string, partition: string, sortName: string, { from, to }: SortRange) {
  const values = marshal({ ':partition': partition, ':from': from || undefined, ':to': to });
  const sort =
    from && to !== undefined
      ? `${sortName} BETWEEN :from AND :to`
      : from
        ? `${sortName} >= :from`
        : to !== undefined
          ? `${sortName} <= :to`
          : '';
  return {
    KeyConditionExpression: `${partitionName} = :partition${sort && ` AND ${sort}`}`,
    ExpressionAttributeValues: values,
  };
}

async function commit(at: At, meter: Meter, changes: readonly Admitted[]): Promise<void> {
  const [only] = changes;
  await (changes.length === 1 && only?.put ? putOne(at, meter, only) : transact(at, meter, changes));
  meter.rowsWritten += changes.filter(({ put }) => put).length;
}

async function putOne({ client, tableName }: At, meter: Meter, change: Admitted): Promise<void> {
  const { Put } = writeOf(tableName, change);
  const command = new PutItemCommand({ ...Put!, ReturnConsumedCapacity: 'INDEXES' });
  const { ConsumedCapacity } = await askService('commit', client.send(command)).catch((error: Error) => {
    const moved = error.name === 'ConditionalCheckFailedException' || error.name === 'TransactionConflictException';
    throw moved ? conflictAt(change, error) : error;
  });
  countWrite(meter, ConsumedCapacity);
}

async function transact({ client, tableName }: At, meter: Meter, changes: readonly Admitted[]): Promise<void> {
  const TransactItems = changes.map((change) => writeOf(tableName, change));
  const command = new TransactWriteItemsCommand({ TransactItems, ReturnConsumedCapacity: 'INDEXES' });
  const { ConsumedCapacity } = await askService('commit', client.send(command)).catch((error: Error) => {
    throw error instanceof TransactionCanceledException ? refusalOf(changes, error) : error;
  });
  for (const capacity of ConsumedCapacity ?? []) countWrite(meter, capacity);
}

/** One change as DynamoDB takes it; a single put has the same shape. */
function writeOf(TableName: string, { key, readRev, put }: Admitted): TransactWriteItem {
  const condition = {
    TableName,
    ConditionExpression: readRev === 0 ? 'attribute_not_exists(pk)' : 'rev = :rev',
    ...(readRev > 0 && { ExpressionAttributeValues: marshal({ ':rev': readRev }) }),
  };
  return put ? { Put: { ...condition, Item: marshal(put.attributes) } } : { ConditionCheck: { ...condition, Key: marshal(key) } };
}

/** Why a transaction was cancelled, from its reasons, which come in the order of the changes. */
function refusalOf(changes: readonly Admitted[], error: TransactionCanceledException): Error {
  const codes = (error.CancellationReasons ?? []).map(({ Code }) => Code ?? 'None');
  const moved = codes.findIndex((code) => code === 'ConditionalCheckFailed' || code === 'TransactionConflict');
  if (moved >= 0) return conflictAt(changes[moved]!, error);
  const isBusy = codes.some((code) => code === 'ThrottlingError' || code === 'ProvisionedThroughputExceeded');
  return isBusy ? new Later('service.busy', `commit: ${codes.join()}`, { cause: error }) : error;
}

const conflictAt = ({ key, readRev }: Admitted, cause: Error): Conflict =>
  new Conflict(`${key.pk}|${key.sk}`, `row ${key.pk}|${key.sk} is not at rev ${readRev} or is being written`, { cause });

function countRead(meter: Meter, capacity: ConsumedCapacity | undefined): void {
  meter.readUnits += capacity?.CapacityUnits ?? 0;
}

function countWrite(meter: Meter, capacity: ConsumedCapacity | undefined): void {
  meter.writeUnits += capacity?.CapacityUnits ?? 0;
  for (const index of Object.values(capacity?.GlobalSecondaryIndexes ?? {})) meter.indexUnits += index.CapacityUnits ?? 0;
}
