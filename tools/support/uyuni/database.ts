import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ClientConfig, Pool, type PoolClient, types } from 'pg';
import { DateTime, type Value } from '../../../lib/uyuni/xml-rpc/value.ts';

/** A row of a result, by its columns, in values that XML-RPC can carry. */
export type Row = { readonly [column: string]: Value };

/** A database as its server uses it. */
export type Database = {
  /** The rows of a statement; `$1` is the first of the values. */
  rows<R extends object = Row>(sql: string, values?: readonly unknown[]): Promise<R[]>;
  /** The work in one transaction, which is rolled back when the work throws. */
  transaction<T>(work: (database: Database) => Promise<T>): Promise<T>;
};

/** The connections of a played server to its database. */
export type Connections = Database & { close(): Promise<void> };

const parsers: Readonly<Record<number, (text: string) => unknown>> = {
  [types.builtins.NUMERIC]: Number,
  [types.builtins.INT8]: Number,
  [types.builtins.TIMESTAMPTZ]: (text) => DateTime.utc(Date.parse(text.replace(' ', 'T').replace(/\+00$/, 'Z'))),
};
const numbersAndTimes = {
  getTypeParser: (id: number, format?: 'text' | 'binary') => parsers[id] ?? types.getTypeParser(id, format),
};

/** Connections to a database, at most ten at a time. A connection that breaks is replaced by the next statement. */
export function connectTo(config: ClientConfig): Connections {
  const pool = new Pool({ ...config, max: 10, types: numbersAndTimes });
  // What breaks while idle shows in the next statement, which gets another connection.
  pool.on('error', () => undefined);
  return {
    rows: async <R extends object>(sql: string, values: readonly unknown[] = []) => (await pool.query(sql, [...values])).rows as R[],
    transaction: async (work) => {
      const client = await pool.connect();
      // A server that ends in the midst of a transaction fails its statement as well.
      client.on('error', () => undefined);
      return inTransaction(client, work);
    },
    close: () => pool.end(),
  };
}

async function inTransaction<T>(client: PoolClient, work: (database: Database) => Promise<T>): Promise<T> {
  const inside: Database = {
    rows: async <R extends object>(sql: string, values: readonly unknown[] = []) => (await client.query(sql, [...values])).rows as R[],
    transaction: (more) => more(inside),
  };
  let broken: Error | undefined;
  try {
    await client.query('BEGIN');
    const result = await work(inside);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch((why: Error) => {
      broken = why;
    });
    throw error;
  } finally {
    client.removeAllListeners('error');
    client.release(broken);
  }
}

const parts = ['people', 'channels', 'content', 'systems', 'activation-keys', 'actions', 'first'];

/** The schema of a server, and what every server has from its first start, as statements. */
export const schemaSql = (): string =>
  parts.map((part) => readFileSync(join(import.meta.dirname, 'schema', `${part}.sql`), 'utf8')).join('\n');
