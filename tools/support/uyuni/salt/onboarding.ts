import type { Database } from '../database.ts';
import type { KeyFolders } from './key-folders.ts';
import type { Minion } from './minion.ts';
import { completed, register } from './register.ts';

/**
 * What a server can bear, which it does not say: how many systems it registers a second, and how many at once before
 * they get in each other's way.
 */
export type Capacity = { readonly perSecond: number; readonly atOnceMax: number };

/**
 * How much of its registration each of so many systems gets done in a time. Beyond `atOnceMax` the server does less
 * altogether, the more there are: that is how one collapses under too many.
 */
export function progressOf(jobs: number, ms: number, { perSecond, atOnceMax }: Capacity): number {
  if (jobs === 0) return 0;
  return ((perSecond * ms) / 1000 / jobs) * Math.min(1, atOnceMax / jobs);
}

/** Where a minion is: it calls with its key, is being registered, or is a system of the server. */
type State = { readonly is: 'calling' } | { readonly is: 'registering'; readonly action: number; done: number } | { readonly is: 'system' };

/** The minions that call a server, and what becomes of them. It goes on when `pass` is called. */
export class Onboarding {
  readonly #database: Database;
  readonly #keys: KeyFolders;
  readonly #minions = new Map<string, { readonly minion: Minion; state: State }>();
  capacity: Capacity;

  constructor(database: Database, keys: KeyFolders, capacity: Capacity = { perSecond: 1_000, atOnceMax: 1_000 }) {
    this.#database = database;
    this.#keys = keys;
    this.capacity = capacity;
  }

  /** Minions call from now on. One of a name that calls already takes its place, as a machine that was replaced. */
  connect(...minions: readonly Minion[]): void {
    for (const minion of minions) this.#minions.set(minion.id, { minion, state: { is: 'calling' } });
  }

  /** Minions call no longer; their keys and systems stay. */
  disconnect(...ids: readonly string[]): void {
    for (const id of ids) this.#minions.delete(id);
  }

  /** Whether this minion calls, or has called and is a system. */
  has(id: string): boolean {
    return this.#minions.has(id);
  }

  /** How many minions are in each state. */
  count(): Readonly<Record<State['is'], number>> {
    const count = { calling: 0, registering: 0, system: 0 };
    for (const { state } of this.#minions.values()) count[state.is]++;
    return count;
  }

  /** What happens in so many ms: keys come in, accepted minions are registered, and do what they do first. */
  async pass(ms: number): Promise<void> {
    const accepted = new Set(this.#keys.list('accepted'));
    for (const { minion, state } of this.#minions.values())
      if (state.is !== 'calling' && !accepted.has(minion.id)) this.#set(minion, { is: 'calling' });
    for (const { minion, state } of this.#minions.values()) {
      if (state.is !== 'calling' || this.#keys.call(minion.id, minion.publicKey) !== 'heard') continue;
      const known = await register(this.#database, minion);
      if (known) this.#set(minion, { is: 'registering', action: known.action, done: 0 });
    }
    await this.#work(ms);
  }

  #set(minion: Minion, state: State): void {
    const entry = this.#minions.get(minion.id);
    if (entry) entry.state = state;
  }

  async #work(ms: number): Promise<void> {
    const jobs = [...this.#minions.values()].flatMap(({ minion, state }) => (state.is === 'registering' ? [{ minion, state }] : []));
    const progress = progressOf(jobs.length, ms, this.capacity);
    const finished = jobs.filter(({ state }) => {
      state.done += progress;
      return state.done >= 1;
    });
    if (finished.length === 0) return;
    await completed(
      this.#database,
      finished.map(({ state }) => state.action),
    );
    for (const { minion } of finished) this.#set(minion, { is: 'system' });
  }
}
