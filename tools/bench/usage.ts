import { logCodes } from '../../lib/runtime/log.ts';
import type { TestShell } from '../support/a-shell.ts';

/** The usage by one piece of work of everything that is paid for by use. */
export type Usage = {
  /** How often a function runs, where each message and each commit that emits comes alone. */
  readonly runs: number;
  /** Read and write units as DynamoDB charges them, index moves included. */
  readonly reads: number;
  readonly writes: number;
  /** Messages sent to a queue. */
  readonly sends: number;
  /** Events put on the bus. */
  readonly published: number;
  /** Bytes of the lines that a function writes to its log, at the level that is set on AWS. */
  readonly logBytes: number;
  /** How often it waits for a table, a queue or the bus; calls made at once are one wait. */
  readonly waits: number;
};

/** A shell in memory that counts the usage of its ports. */
export type CountedShell = {
  readonly shell: TestShell;
  /** Does the work and gives its usage; `runs` is how often a function ran for it. */
  readonly used: <T>(runs: number, work: () => Promise<T>) => Promise<{ readonly usage: Usage; readonly value: T }>;
};

const nothing: Usage = { runs: 0, reads: 0, writes: 0, sends: 0, published: 0, logBytes: 0, waits: 0 };

/** Ids as long as those of a Lambda function: they are in rows, and rows are paid for by size. */
const idsAsLongAsReal = (): (() => string) => {
  let ids = 0;
  return () => {
    ids += 1;
    return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
  };
};

/** Counts through a shell. */
export function counting(given: TestShell): CountedShell {
  let at: Usage = nothing;
  let pending = 0;
  const plus = (more: Partial<Usage>): void => {
    at = together([at, { ...nothing, ...more }]);
  };
  const waiting =
    <A extends readonly unknown[], T>(call: (...args: A) => Promise<T>, count: (...args: A) => Partial<Usage> = () => ({})) =>
    (...args: A): Promise<T> => {
      plus({ ...count(...args), ...(pending === 0 && { waits: 1 }) });
      pending += 1;
      return call(...args).finally(() => {
        pending -= 1;
      });
    };
  const { table, queue, bus } = given;
  const shell: TestShell = {
    ...given,
    newId: idsAsLongAsReal(),
    table: {
      ...table,
      read: waiting(table.read),
      readMany: waiting(table.readMany),
      query: waiting(table.query),
      queryIndex: waiting(table.queryIndex),
      due: waiting(table.due),
      commit: waiting(table.commit),
    },
    queue: { ...queue, send: waiting(queue.send, () => ({ sends: 1 })) },
    // A publisher without events makes no call.
    bus: { ...bus, publish: (events) => (events.length === 0 ? bus.publish(events) : publish(events)) },
    log: (level, code, fields) => {
      if (level !== 'debug') plus({ logBytes: lineOf(level, code, fields).length });
      given.log(level, code, fields);
    },
  };
  const publish = waiting(bus.publish, (events) => ({ published: events.length }));
  const now = (): Usage => ({ ...at, reads: table.meter.readUnits, writes: table.meter.writeUnits });
  return {
    shell,
    used: async (runs, work) => {
      const before = now();
      const value = await work();
      return { usage: { ...between(before, now()), runs }, value };
    },
  };
}

/** The usage of all of these together. */
export const together = (usages: readonly Usage[]): Usage => usages.reduce((sum, one) => combined(sum, one, (a, b) => a + b), nothing);

/** The difference of two counts, the later minus the earlier. */
export const between = (before: Usage, after: Usage): Usage => combined(after, before, (a, b) => a - b);

const combined = (one: Usage, other: Usage, of: (a: number, b: number) => number): Usage =>
  Object.fromEntries(Object.entries(one).map(([name, n]) => [name, of(n, other[name as keyof Usage])])) as Usage;

/** A line as Powertools writes it. */
const lineOf = (level: string, code: keyof typeof logCodes, fields: object): string =>
  JSON.stringify({
    level: level.toUpperCase(),
    message: logCodes[code],
    timestamp: '2026-11-22T12:00:00.000Z',
    service: 'Muster',
    sampling_rate: 0,
    code,
    ...fields,
  });
