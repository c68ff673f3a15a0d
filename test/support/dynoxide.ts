import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type AttributeDefinition, CreateTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { type KeyAttribute, tableSchema } from '../../lib/ports/table/schema.ts';

const binary = join(import.meta.dirname, '../../node_modules/@dynoxide/linux-x64/dynoxide');

/** Whether the DynamoDB emulator is installed, which it is only for 64-bit Linux on x86. */
export const dynoxideIsInstalled = existsSync(binary);

/** A DynamoDB emulator in memory on a free loopback port. */
export type Dynoxide = {
  readonly client: DynamoDBClient;
  /** Makes a new empty table with Muster's schema; its name. */
  readonly createTable: () => Promise<string>;
  readonly stop: () => Promise<void>;
};

/**
 * Started under a shell that kills it as soon as our end of a pipe closes: the emulator outlives its parent otherwise,
 * also when the test runner is killed and nobody's clean-up runs. The shell itself ignores what Ctrl-C sends to the
 * whole group, to be there for that.
 */
const keeper = 'trap "" INT TERM HUP; "$0" "$@" & cat > /dev/null; kill -9 $! 2> /dev/null';

/** Starts the emulator. Throws when it does not answer. */
export async function startDynoxide(): Promise<Dynoxide> {
  const port = await freePort();
  const child = spawn('sh', ['-c', keeper, binary, '--host', '127.0.0.1', '--port', String(port)], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
    // It listens a few milliseconds after its start; the client's own retries wait for that.
    maxAttempts: 10,
  });
  await client.send(new ListTablesCommand({}));
  let made = 0;
  return {
    client,
    createTable: async () => {
      made += 1;
      await client.send(new CreateTableCommand(createTableInput(`muster-${made}`)));
      return `muster-${made}`;
    },
    stop: async () => {
      client.destroy();
      await stopped(child);
    },
  };
}

const stopped = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.stdin?.end();
  });

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/** The table of our schema as CreateTable takes it. */
function createTableInput(tableName: string) {
  const { partitionKey, sortKey, indexes } = tableSchema;
  const attributes = [{ partitionKey, sortKey }, ...indexes].flatMap((keys) => [keys.partitionKey, keys.sortKey]);
  return {
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST' as const,
    AttributeDefinitions: attributes.map(({ name, type }): AttributeDefinition => ({ AttributeName: name, AttributeType: type })),
    KeySchema: keySchemaOf(partitionKey, sortKey),
    GlobalSecondaryIndexes: indexes.map((index) => ({
      IndexName: index.name,
      KeySchema: keySchemaOf(index.partitionKey, index.sortKey),
      Projection: { ProjectionType: 'KEYS_ONLY' as const },
    })),
  };
}

const keySchemaOf = (partition: KeyAttribute, sort: KeyAttribute) => [
  { AttributeName: partition.name, KeyType: 'HASH' as const },
  { AttributeName: sort.name, KeyType: 'RANGE' as const },
];
