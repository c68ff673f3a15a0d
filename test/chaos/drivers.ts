import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, Unreachable } from '../../lib/api/client.ts';
import type { Folder } from '../../lib/machine/folder.ts';
import type { World } from '../../lib/machine/reactor.ts';
import type { EpochMs } from '../../lib/units.ts';
import type { Acknowledged } from './acknowledged.ts';

/** What every driver works with: the wire, chance, and what it was answered. */
export type Drive = {
  readonly api: ApiClient;
  readonly ack: Acknowledged;
  readonly world: World;
  /** Aborted once the play is over. */
  readonly over: AbortSignal;
};

/** The world of programs that run in this process: its clock and timers, and chance from a seed. */
export const worldOf = (random: () => number): World => ({
  now: () => Date.now() as EpochMs,
  after: (waitMs, then) => {
    const timer = setTimeout(then, waitMs);
    return () => clearTimeout(timer);
  },
  random,
});

/** A folder in memory: what it holds outlives the program that writes it, as a disk outlives a boot. */
export function memoryFolder(path: string): Folder {
  const files = new Map<string, string>();
  return {
    path,
    read: (name) => files.get(name),
    write: (name, text) => void files.set(name, text),
    remove: (name) => void files.delete(name),
  };
}

/** Clients that together have at most so many calls under way, so that thousands of callers are not thousands of sockets. */
export function atMost(max: number): (api: ApiClient) => ApiClient {
  let under = 0;
  const waiting: (() => void)[] = [];
  return (api) => async (route, sent) => {
    if (under >= max) await new Promise<void>((resolve) => waiting.push(resolve));
    else under++;
    try {
      return await api(route, sent);
    } finally {
      const next = waiting.shift();
      if (next) next();
      else under--;
    }
  };
}

/** Waits unless the play ends first; whether it goes on. */
export const pause = (ms: number, { over }: Pick<Drive, 'over'>): Promise<boolean> => sleep(ms, true, { signal: over }).catch(() => false);

/** What a call gave; undefined when there was no answer, because the host is away. */
export async function answered<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof Unreachable) return undefined;
    throw error;
  }
}
