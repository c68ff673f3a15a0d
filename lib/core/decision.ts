import type { EpochMs } from './time.ts';

/** Names a row by its noun and id; only `lib/ports/table/keys.ts` turns it into a key. */
export type RowRef = { readonly noun: string; readonly id: string };

/** A conclusion of Muster, published once the row that records it is committed. */
export type Concluded = { readonly type: string; readonly version: number; readonly data: object };

/** What should happen to one row: data for the shell to carry out, never an action already taken. */
export type Decision<S, E extends Concluded = Concluded> = Nothing | Written<S, E> | Removed<S, E>;

/**
 * The input changes nothing. After a tick `wakeAt` re-arms the row (absent clears it); otherwise nothing is written.
 */
export type Nothing = { readonly does: 'nothing'; readonly wakeAt?: EpochMs; readonly because: string };

/**
 * The row becomes `next` and the events are published. `wakeAt` is a lower bound for when it could change by itself:
 * outside a tick the earlier of the stored and the decided one stays, after a tick it is exactly the decided one.
 */
export type Written<S, E extends Concluded = Concluded> = {
  readonly does: 'write';
  readonly next: S;
  readonly events: readonly E[];
  readonly wakeAt?: EpochMs;
  readonly expiresAt?: EpochMs;
  readonly because: string;
  /**
   * The change does not concern the state of the thing, but for example its labels: the reason of its state stays as
   * before.
   */
  readonly aside?: true;
};

/**
 * The row ends. It stays readable as `gone` for 30 days at the least, so that its revisions and event numbers go on if
 * it comes back.
 */
export type Removed<S, E extends Concluded = Concluded> = {
  readonly does: 'remove';
  readonly last: S;
  readonly events: readonly E[];
  readonly because: string;
};

/**
 * One row of a plan: which row, the revision the plan was computed from, and its decision. `besides`: the change only
 * follows from another row of the same plan, and the audit records only that one.
 */
export type PlannedChange = {
  readonly ref: RowRef;
  readonly readRev: number;
  readonly decision: Decision<unknown>;
  readonly besides?: true;
};

/** Changes of several rows at once, with the reasons. Every change is fenced by the revision it was computed from. */
export type Plan = { readonly changes: readonly PlannedChange[]; readonly because: readonly string[] };

/**
 * Time has passed: the only input besides reports and commands. Nothing expires before `graceUntil`, because Muster
 * itself may have slept.
 */
export type Tick = { readonly type: 'tick'; readonly graceUntil?: EpochMs };

/** The time before which nothing expires, because Muster itself may have slept. */
export type Grace = { readonly graceUntil?: EpochMs | undefined };

/**
 * A moment, or the end of the grace if that is later: a lease that expired while Muster slept may have been renewed
 * unheard.
 */
export const graced = (at: EpochMs, { graceUntil }: Grace): EpochMs => (graceUntil !== undefined && graceUntil > at ? graceUntil : at);

/** Nothing changes. */
export const nothing = (because: string, wakeAt?: EpochMs): Nothing => ({
  does: 'nothing',
  because,
  ...(wakeAt !== undefined && { wakeAt }),
});

/** The row becomes `next`. */
export const write = <S, E extends Concluded>(
  next: S,
  because: string,
  {
    events = [],
    wakeAt,
    expiresAt,
    aside,
  }: { events?: readonly E[]; wakeAt?: EpochMs | undefined; expiresAt?: EpochMs; aside?: true } = {},
): Written<S, E> => ({
  does: 'write',
  next,
  events,
  because,
  ...(wakeAt !== undefined && { wakeAt }),
  ...(expiresAt !== undefined && { expiresAt }),
  ...(aside && { aside }),
});

/** Whether two values are equal, in any order of their names: a table may return a row's names in another order. */
export function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = a as Readonly<Record<string, unknown>>;
  const right = b as Readonly<Record<string, unknown>>;
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => name in right && isSame(left[name], right[name]));
}

/** A row that changes in the same commit as the row of a service, and the decision on its present state. */
export type Follower = { readonly ref: RowRef; readonly decide: (state: unknown) => Decision<unknown> };

/** A row with the revision it was read at; 0 when it does not exist. */
export type Read<T> = { readonly body: T; readonly rev: number };
