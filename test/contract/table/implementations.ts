import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EpochMs } from '../../../lib/core/time.ts';
import { openStorage } from '../../../lib/ports/storage/storage.ts';
import { dynamoTable } from '../../../lib/ports/table/dynamo.ts';
import { feedStart } from '../../../lib/ports/table/file-feed.ts';
import { memoryTable } from '../../../lib/ports/table/memory.ts';
import type { FeedImage, Table } from '../../../lib/ports/table/table.ts';
import { noon } from '../../../tools/support/a-row.ts';
import { dynoxideIsInstalled, startDynoxide } from '../../support/dynoxide.ts';

/**
 * An empty table, with what only those in our own process have: DynamoDB's stream and time to live are the service's.
 */
export type Opened = {
  readonly table: Table;
  readonly feed?: () => Promise<readonly FeedImage[]>;
  readonly removeExpired?: (now: EpochMs, limit: number) => Promise<number>;
};

/** One implementation of the port: how it is started once, opened empty for every test, and stopped. */
export type Implementation = {
  readonly name: string;
  readonly isInstalled: boolean;
  /** Whether the table is in our own process, with its feed and its expiring. */
  readonly isLocal: boolean;
  readonly start: () => Promise<{ readonly open: () => Promise<Opened>; readonly stop: () => Promise<void> }>;
};

const inMemory: Implementation = {
  name: 'in memory',
  isInstalled: true,
  isLocal: true,
  start: async () => ({
    open: async () => {
      const table = memoryTable();
      return { table, feed: async () => table.feed, removeExpired: table.removeExpired };
    },
    stop: async () => {},
  }),
};

const inSqlite: Implementation = {
  name: 'in SQLite',
  isInstalled: true,
  isLocal: true,
  start: async () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-table-'));
    const opened: { close(): void }[] = [];
    return {
      open: async () => {
        const storage = openStorage({
          file: join(folder, `${opened.length}.sqlite`),
          now: () => noon,
          defer: (run) => void setImmediate(run),
        });
        opened.push(storage);
        return { table: storage.table, feed: () => storage.feed.read(feedStart, 1_000), removeExpired: storage.table.removeExpired };
      },
      stop: async () => {
        for (const storage of opened) storage.close();
        rmSync(folder, { recursive: true });
      },
    };
  },
};

const inDynamo: Implementation = {
  name: 'in DynamoDB, as dynoxide emulates it',
  isInstalled: dynoxideIsInstalled,
  isLocal: false,
  start: async () => {
    const dynoxide = await startDynoxide();
    return {
      open: async () => ({ table: dynamoTable({ client: dynoxide.client, tableName: await dynoxide.createTable() }) }),
      stop: dynoxide.stop,
    };
  },
};

/** Every table there is; the contract is the same for all. */
export const implementations: readonly Implementation[] = [inMemory, inSqlite, inDynamo];
