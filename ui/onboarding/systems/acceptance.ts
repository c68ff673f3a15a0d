import type { Reply } from '../../api/call.ts';
import { type Accepted, askedAtOnce, justAccepted, nextToAsk, queryOf, seen, summaryOf } from './arrivals.ts';
import { type Batch, batchesOf, type NotAccepted, outcomeOf, type Wish } from './batches.ts';

/** How it goes: the calls under way, what was refused and why, and how far those that were accepted have come. */
export type AcceptanceState = {
  readonly running: { readonly done: number; readonly of: number } | undefined;
  readonly refused: ReadonlyMap<string, NotAccepted>;
  readonly followed: ReadonlyMap<string, Accepted>;
  /** Why the last wish, or the last look at those that are on their way, came to no end. */
  readonly error: unknown;
};

/** What the store needs of the world. `took` hears which machines wait no more. */
export type Means = {
  readonly accept: (batch: Batch) => Promise<Reply<'accept'>>;
  readonly find: (query: string, limit: number) => Promise<Pick<Reply<'findSystems'>, 'items'>>;
  readonly took: (fps: readonly string[]) => void;
  readonly wait: (ms: number) => Promise<void>;
};

/** A machine that is busy is tried again after these pauses, in ms, and then left to the operator. */
const pausesMs = [500, 1_000, 2_000, 4_000];
/** How often those that are on their way are looked at; seldom once so many passes over all of them brought no news. */
const lookEveryMs = { usually: 2_000, seldom: 10_000 } as const;
const passesMax = 30;
const nothing: AcceptanceState = { running: undefined, refused: new Map(), followed: new Map(), error: undefined };

/**
 * Accepts machines, call by call, and follows them until they are onboarded. It belongs to the page and not to a view:
 * an operator who looks at something else meanwhile finds it here again.
 */
export class Acceptance {
  readonly #means: Means;
  readonly #listeners = new Set<() => void>();
  #state = nothing;
  #isLooking = false;
  #before: Promise<void> = Promise.resolve();

  constructor(means: Means) {
    this.#means = means;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
  state = (): AcceptanceState => this.#state;

  /**
   * Carries out a wish, after those before it. What is refused has its reason in {@link state}; resolves when nothing
   * is left to be tried.
   */
  accept(wish: Wish): Promise<void> {
    this.#before = this.#before.then(() => this.#carryOut(wish));
    return this.#before;
  }

  async #carryOut(wish: Wish): Promise<void> {
    const wished = new Map(wish.systems.map((one) => [one.fp, one]));
    this.#begin(wished);
    try {
      for (const batch of batchesOf(wish)) await this.#send(batch, wished);
    } catch (error) {
      this.#set({ error });
    }
    this.#set({ running: undefined });
  }

  /** Forgets those that were accepted; those that were refused keep their reasons. */
  dismiss(): void {
    this.#set({ followed: new Map(), error: undefined });
  }

  /** Old reasons go, and with them those whose way is over: a new count begins. */
  #begin(wished: ReadonlyMap<string, unknown>): void {
    const { followed, refused } = this.#state;
    const isOver = [...followed.values()].every(({ status }) => status !== 'orphan');
    this.#set({
      running: { done: 0, of: wished.size },
      refused: new Map([...refused].filter(([fp]) => !wished.has(fp))),
      followed: isOver ? new Map() : followed,
      error: undefined,
    });
  }

  async #send(batch: Batch, wished: ReadonlyMap<string, Wish['systems'][number]>): Promise<void> {
    let { systems } = batch;
    for (const pauseMs of [...pausesMs, undefined]) {
      const { accepted, busy, not } = outcomeOf((await this.#means.accept({ ...batch, systems })).results);
      const isLast = pauseMs === undefined;
      const left = isLast ? busy.map((fp): [string, NotAccepted] => [fp, { is: 'busy', because: 'it is busy: try again' }]) : [];
      this.#took(
        accepted.flatMap((fp) => wished.get(fp) ?? []),
        [...not, ...left],
      );
      if (busy.length === 0 || isLast) return;
      systems = [...busy];
      await this.#means.wait(pauseMs);
    }
  }

  #took(accepted: Wish['systems'], not: readonly (readonly [string, NotAccepted])[]): void {
    const { running, refused, followed } = this.#state;
    this.#set({
      running: running && { ...running, done: running.done + accepted.length + not.length },
      refused: new Map([...refused, ...not]),
      followed: new Map([...followed, ...accepted.map((one): [string, Accepted] => [one.fp, justAccepted(one)])]),
    });
    if (accepted.length === 0) return;
    this.#means.took(accepted.map(({ fp }) => fp));
    void this.#follow();
  }

  /** Looks at those on their way, some at a time, until all have arrived or are dismissed. */
  async #follow(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    for (let [looks, before] = [0, this.#onTheirWay()]; before > 0; before = this.#onTheirWay()) {
      const isSeldom = looks > passesMax * Math.ceil(before / askedAtOnce);
      await this.#means.wait(isSeldom ? lookEveryMs.seldom : lookEveryMs.usually);
      await this.#look(nextToAsk(this.#state.followed));
      looks = this.#onTheirWay() === before ? looks + 1 : 0;
    }
    this.#isLooking = false;
  }

  #onTheirWay = (): number => summaryOf(this.#state.followed).onTheirWay;

  async #look(asked: readonly string[]): Promise<void> {
    if (asked.length === 0) return;
    try {
      const { items } = await this.#means.find(queryOf(asked), asked.length);
      this.#set({ followed: seen(this.#state.followed, asked, items), ...(this.#state.running === undefined && { error: undefined }) });
    } catch (error) {
      // The way of a machine goes on while Muster does not answer: it is said, and looked at again.
      this.#set({ error });
    }
  }

  #set(next: Partial<AcceptanceState>): void {
    this.#state = { ...this.#state, ...next };
    for (const listener of this.#listeners) listener();
  }
}
