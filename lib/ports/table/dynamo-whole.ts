import {
  BatchWriteItemCommand,
  DeleteItemCommand,
  type DynamoDBClient,
  PutItemCommand,
  ScanCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import { Later } from '../../core/errors.ts';
import { askService } from '../aws/ask-service.ts';
import type { Attributes } from './attributes.ts';
import { type Item, marshal, unmarshalRow } from './codec.ts';
import { dynamoTable } from './dynamo.ts';
import { admit } from './limits.ts';
import { type Key, nameOf, type Row } from './table.ts';
import type { WholeTarget } from './whole.ts';

/** DynamoDB's quota of one batch of writes. */
const batchMax = 25;
/**
 * Batches under way at once: enough that a million rows take minutes, few enough for a new table on demand (4,000
 * writes a second).
 */
const batchesAtOnce = 8;
/**
 * Rounds of sending again the rows that DynamoDB left out of a batch, and the wait before the first; each later wait is
 * twice as long.
 */
const roundsMax = 10;
const againAfterMs = 50;

type At = { readonly client: DynamoDBClient; readonly tableName: string; readonly sleep: (ms: number) => Promise<void> };

/** A key with its row's revision, which proves that the row was written. */
export type Seen = { readonly key: Key; readonly rev: number };

/** A table in DynamoDB as a whole: the target of an import, and the source of a scan in no particular order. */
export type DynamoWhole = WholeTarget & {
  scan(): AsyncIterable<Row>;
  /** The same scan, for keys and revisions only; it costs as much. */
  seen(): AsyncIterable<Seen>;
};

/**
 * The table in DynamoDB as a whole. It takes no messages, which are in SQS, and stores no offsets, which are in the
 * stream. The stream's readers do not get a stored row, but they get a stored image, before its row. Throws
 * {@link Later} for transient failures.
 */
export function dynamoWhole(at: At): DynamoWhole {
  const put = (row: Row, isImage: boolean): Item => {
    const { attributes } = admit([{ put: row, readRev: row.rev - 1 }])[0]!.put!;
    return marshal(isImage ? attributes : withoutEmits(attributes));
  };
  return {
    read: dynamoTable(at).read,
    holdsMoreThan: async (key) => {
      for await (const seen of seenIn(at)) if (nameOf(seen.key) !== nameOf(key)) return true;
      return false;
    },
    begin: async (marker) => {
      await putOne(at, put(marker, false));
      await clear(at, marker.key);
    },
    storeImages: async (images) => {
      // One after the other: a batch promises no order, and a row's commits must be published in theirs.
      for (const { row } of images) await putOne(at, put(row, true));
    },
    storeRows: (rows) =>
      write(
        at,
        rows.map((row): WriteRequest => ({ PutRequest: { Item: put(row, false) } })),
      ),
    storeMessages: async (messages) => {
      if (messages.length > 0) throw new Error('a table in DynamoDB has no messages: import them to queues');
    },
    commit: async () => {},
    settle: async (key) => {
      await askService('settle', at.client.send(new DeleteItemCommand({ TableName: at.tableName, Key: marshal(key) })));
    },
    async *scan() {
      for await (const item of pages(at)) yield unmarshalRow(item);
    },
    seen: () => seenIn(at),
    close: () => at.client.destroy(),
  };
}

/**
 * Leaves out the attribute that the stream's filter matches: the row's last events were published by the previous
 * deployment, or are published with the row's image.
 */
const withoutEmits = ({ emits: _emits, ...attributes }: Attributes): Attributes => attributes;

async function* seenIn(at: At): AsyncIterable<Seen> {
  for await (const { pk, sk, rev } of pages(at, 'pk, sk, rev')) yield { key: { pk: pk!.S!, sk: sk!.S! }, rev: Number(rev!.N) };
}

async function* pages({ client, tableName }: At, projection?: string): AsyncIterable<Item> {
  let from: Item | undefined;
  do {
    const scan = new ScanCommand({
      TableName: tableName,
      ConsistentRead: true,
      ...(projection && { ProjectionExpression: projection }),
      ...(from && { ExclusiveStartKey: from }),
    });
    const { Items = [], LastEvaluatedKey } = await askService('scan', client.send(scan));
    yield* Items;
    from = LastEvaluatedKey;
  } while (from);
}

async function putOne({ client, tableName }: At, item: Item): Promise<void> {
  await askService('put', client.send(new PutItemCommand({ TableName: tableName, Item: item })));
}

async function clear(at: At, retained: Key): Promise<void> {
  let requests: WriteRequest[] = [];
  for await (const { key } of seenIn(at)) {
    if (nameOf(key) === nameOf(retained)) continue;
    requests.push({ DeleteRequest: { Key: marshal(key) } });
    if (requests.length < batchMax * batchesAtOnce) continue;
    await write(at, requests);
    requests = [];
  }
  await write(at, requests);
}

async function write(at: At, requests: readonly WriteRequest[]): Promise<void> {
  const batches = Array.from({ length: Math.ceil(requests.length / batchMax) }, (_, n) => requests.slice(n * batchMax, (n + 1) * batchMax));
  for (let n = 0; n < batches.length; n += batchesAtOnce)
    await Promise.all(batches.slice(n, n + batchesAtOnce).map((batch) => writeBatch(at, batch)));
}

async function writeBatch({ client, tableName, sleep }: At, batch: WriteRequest[]): Promise<void> {
  let left = batch;
  for (let round = 0; round < roundsMax; round++) {
    if (round > 0) await sleep(againAfterMs * 2 ** round);
    const { UnprocessedItems } = await askService('write', client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: left } })));
    left = UnprocessedItems?.[tableName] ?? [];
    if (left.length === 0) return;
  }
  throw new Later('service.busy', `write: ${left.length} of ${batch.length} rows were left out ${roundsMax} times`);
}
