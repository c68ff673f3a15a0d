import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, Unreachable } from '../../lib/api/client.ts';
import type { World } from '../../lib/machine/reactor.ts';
import type { Acknowledged } from './acknowledged.ts';

/** What every driver works with: the wire, chance, and what it was answered. */
export type Drive = {
  readonly api: ApiClient;
  readonly ack: Acknowledged;
  readonly world: World;
  /** Aborted once the play is over. */
  readonly over: AbortSignal;
};

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
