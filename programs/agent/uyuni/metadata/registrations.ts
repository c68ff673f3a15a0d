import * as z from 'zod';
import { type EpochMs, secondMs } from '../../../../lib/core/time.ts';
import type { ServerApi } from '../api/server-api.ts';
import { type Ask, askOf, ReadRefused } from './kinds.ts';

/**
 * A system on a server: its number there, and what tells this registration of it from any other. A system that was
 * deleted and registered anew, or on a server that was set up anew, has none of what the former one had.
 */
export type Registered = { readonly sid: number; readonly registration: string };

/** How long a list without a minion is good enough to say that it is not registered: all minions are in one list. */
const freshMs = 10 * secondMs;

/** The systems of a server by the ids of their minions. */
export class Registrations {
  readonly #ask: Ask;
  readonly #now: () => EpochMs;
  #sids: ReadonlyMap<string, number> = new Map();
  #readAt: number = Number.NEGATIVE_INFINITY;

  constructor(server: ServerApi, now: () => EpochMs) {
    this.#ask = askOf(server);
    this.#now = now;
  }

  /** The system of a minion; undefined while it is not registered. Throws what the API throws. */
  async of(minion: string): Promise<Registered | undefined> {
    const known = this.#sids.get(minion);
    const found = known === undefined ? undefined : await this.#registered(known);
    if (found || this.#now() - this.#readAt < freshMs) return found;
    this.#sids = new Map(Object.entries(await this.#ask('system.getMinionIdMap', {}, z.record(z.string(), z.number()))));
    this.#readAt = this.#now();
    const sid = this.#sids.get(minion);
    return sid === undefined ? undefined : this.#registered(sid);
  }

  /** Undefined for a system that is gone. */
  async #registered(sid: number): Promise<Registered | undefined> {
    try {
      const date = await this.#ask('system.getRegistrationDate', { sid }, z.string());
      return { sid, registration: `${sid} ${date}` };
    } catch (error) {
      if (error instanceof ReadRefused) return undefined;
      throw error;
    }
  }
}
