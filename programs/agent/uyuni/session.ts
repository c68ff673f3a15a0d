import { Client, types } from 'pg';
import type { DatabaseAddress } from './rhn-conf.ts';

/** A connection to the database of a server. */
export type Session = {
  /** The rows of a statement; `$1` is the first of the values. Throws errors of PostgreSQL and of the network. */
  rows(sql: string, values?: readonly unknown[]): Promise<readonly unknown[]>;
  /** The work in one transaction, which is rolled back when the work throws. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Calls a function whenever something was written, from now on; and once when the connection has ended. */
  listen(channel: string, heard: () => void): Promise<void>;
  /** Whether the connection can still be used. */
  isOpen(): boolean;
  close(): Promise<void>;
};

/** How long one statement may take, so that a database that hangs does not hold the agent. */
const statementLimitMs = 60_000;
const connectLimitMs = 10_000;

const numbers: Readonly<Record<number, (text: string) => unknown>> = { [types.builtins.INT8]: Number };

/** Connects to the database of a server. Throws what {@link troubleOf} puts into words. */
export async function connectTo(address: DatabaseAddress): Promise<Session> {
  const client = new Client({
    ...address,
    application_name: 'muster-agent',
    connectionTimeoutMillis: connectLimitMs,
    statement_timeout: statementLimitMs,
    query_timeout: statementLimitMs + connectLimitMs,
    types: { getTypeParser: (id, format) => numbers[id] ?? types.getTypeParser(id, format) },
  });
  let isOpen = true;
  let ended = (): void => undefined;
  const over = () => {
    isOpen = false;
    ended();
  };
  // What breaks the connection fails the statement under way, and every later one.
  client.on('error', over);
  client.on('end', over);
  await client.connect();
  const rows = async (sql: string, values: readonly unknown[] = []) => (await client.query(sql, [...values])).rows as unknown[];
  return {
    rows,
    isOpen: () => isOpen,
    close: () => client.end(),
    transaction: async (work) => {
      await client.query('BEGIN');
      try {
        const result = await work();
        await client.query('COMMIT');
        return result;
      } catch (error) {
        // A connection that is gone has rolled back by itself.
        if (isOpen) await client.query('ROLLBACK').catch(() => client.end());
        throw error;
      }
    },
    listen: async (channel, heard) => {
      ended = heard;
      client.on('notification', heard);
      await client.query(`LISTEN ${channel}`);
    },
  };
}
