import { Problem } from '../api/call.ts';
import { type Outcome, outcomesOf, type Progress } from './steps.ts';

/**
 * How an order to many ended: well, because a person stopped it, because others match by now, with an error, or because
 * the page was left while it was under way.
 */
export type Ended = { readonly is: 'done' | 'stopped' | 'left' } | { readonly is: 'changed' | 'failed'; readonly because: string };

/** An order to many: what it is, to how many, what has become of them so far, and how it ended once it has. */
export type Carried = {
  readonly id: number;
  readonly title: string;
  /** The query by which its client systems were found, if they were. */
  readonly q: string | undefined;
  readonly of: number;
  readonly outcomes: readonly Outcome[];
  readonly ended: Ended | undefined;
  /** It is shown where it was given: nothing else has to tell of it. */
  readonly isWatched: boolean;
};

/** Where orders are remembered beyond the page that gave them. Throws nothing: what cannot be read is none. */
export type Memory = { readonly read: () => readonly Carried[]; readonly write: (all: readonly Carried[]) => void };

/** An order that is to be carried out, step by step. */
export type Order = Pick<Carried, 'title' | 'q' | 'of'> & { readonly steps: AsyncIterable<Progress> };

/**
 * The orders to many that this page carries out, or has carried out until a person has seen how they ended. They belong
 * to the page and not to the dialog that gave them, and it tells of them when it is loaded anew. `after` is called as
 * each has ended.
 */
export class Carrying {
  readonly #memory: Memory;
  readonly #after: () => void;
  readonly #listeners = new Set<() => void>();
  readonly #stopped = new Set<number>();
  #all: readonly Carried[];

  constructor(memory: Memory, after: () => void) {
    this.#memory = memory;
    this.#after = after;
    this.#all = memory.read().map((one) => ({ ...one, isWatched: false, ended: one.ended ?? { is: 'left' } }));
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
  all = (): readonly Carried[] => this.#all;

  /** Begins an order; gives its id, and a promise that is kept once it has ended. It is watched by whoever gave it. */
  begin({ steps, ...order }: Order): { readonly id: number; readonly ended: Promise<void> } {
    const id = Math.max(0, ...this.#all.map((one) => one.id)) + 1;
    this.#set([...this.#all, { ...order, id, outcomes: [], ended: undefined, isWatched: true }]);
    return { id, ended: this.#carryOut(id, steps) };
  }

  /** Stops an order between two steps. */
  stop = (id: number): void => void this.#stopped.add(id);

  /** Nobody watches an order any more: one that has ended was seen, and is forgotten. */
  leave(id: number): void {
    const isOver = this.#all.find((one) => one.id === id)?.ended !== undefined;
    if (isOver) this.forget(id);
    else this.#change(id, { isWatched: false });
  }

  forget(id: number): void {
    this.#set(this.#all.filter((one) => one.id !== id));
  }

  /** Forgets all of them, and stops those that are under way: another person may be here now. */
  clear(): void {
    for (const { id } of this.#all) this.stop(id);
    this.#set([]);
  }

  async #carryOut(id: number, steps: AsyncIterable<Progress>): Promise<void> {
    this.#change(id, { ended: await this.#ended(id, steps) });
    this.#stopped.delete(id);
    this.#after();
  }

  async #ended(id: number, steps: AsyncIterable<Progress>): Promise<Ended> {
    try {
      for await (const { results, of } of steps) {
        this.#change(id, { outcomes: outcomesOf(results.values()) });
        if (this.#stopped.has(id) && results.size < of) return { is: 'stopped' };
      }
      return { is: 'done' };
    } catch (error) {
      const because = error instanceof Error ? error.message : String(error);
      return { is: error instanceof Problem && error.type === 'matches-changed' ? 'changed' : 'failed', because };
    }
  }

  #change(id: number, change: Partial<Carried>): void {
    this.#set(this.#all.map((one) => (one.id === id ? { ...one, ...change } : one)));
  }

  #set(all: readonly Carried[]): void {
    this.#all = all;
    this.#memory.write(all);
    for (const listener of this.#listeners) listener();
  }
}
