import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { type PublishedType, published } from '../../events/catalogue.ts';
import type { Decision, RowRef } from '../../lib/core/decision.ts';
import { dayMs, type EpochMs } from '../../lib/core/time.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import { isEmitted, nameOf, type Row } from '../../lib/ports/table/table.ts';
import { apply } from '../../lib/runtime/apply.ts';
import { aShell, losingAnswers, type TestShell } from '../../tools/support/a-shell.ts';
import { keeps, type Law, law, same } from './model.ts';

/** One input carried out on a row by the real shell: the row before and after, and what was decided. */
export type Stored = {
  readonly before: Row | undefined;
  readonly after: Row | undefined;
  readonly decision: Decision<unknown>;
  readonly input: { readonly id: string; readonly type?: string };
  readonly now: EpochMs;
  /** Whether the decided `wakeAt` replaces the stored one: after a tick and in a plan. */
  readonly exact: boolean;
};

const besidesWaking = (row: Row | undefined): object => ({ ...row, rev: 0, wakeAt: 0, events: [] });
const isDue = (row: Row | undefined, now: EpochMs): boolean => row?.wakeAt !== undefined && row.wakeAt <= now;

/** A value as every table keeps it: without undefined members. */
function whole(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  if (Array.isArray(value)) return value.map(whole);
  return Object.fromEntries(Object.entries(value).flatMap(([name, each]) => (each === undefined ? [] : [[name, whole(each)]])));
}

/** What every commit owes its row, whatever it is about. */
const rowLaws: readonly Law<Stored>[] = [
  law(
    'a decision to do nothing stores nothing but when to look again',
    ({ before, after, decision, exact }) =>
      decision.does !== 'nothing' ||
      (exact ? isDeepStrictEqual(besidesWaking(after), besidesWaking(before)) : isDeepStrictEqual(after, before)),
  ),
  law(
    'revisions are a chain without holes',
    ({ before, after, decision }) =>
      (after?.rev ?? 0) === (before?.rev ?? 0) + (decision.does !== 'nothing' || before?.wakeAt !== after?.wakeAt ? 1 : 0),
  ),
  law(
    'a commit says when, by whom and why',
    ({ after, decision, input, now }) =>
      decision.does === 'nothing' || (after?.at === now && after.by === input.id && after.because === decision.because),
  ),
  law('a commit holds the state that was decided', ({ after, decision }) =>
    decision.does === 'nothing' ? true : isDeepStrictEqual(after?.body, whole(decision.does === 'write' ? decision.next : decision.last)),
  ),
  law(
    'event numbers have no holes and are never given twice',
    ({ before, after, decision }) =>
      decision.does === 'nothing' ||
      (after?.eventSeq === (before?.eventSeq ?? 0) + decision.events.length &&
        after.events.every(({ seq }, n) => seq === (before?.eventSeq ?? 0) + n + 1)),
  ),
  law('events are as their catalogue says', ({ decision }) =>
    decision.does === 'nothing' ? true : decision.events.every((event) => published[event.type as PublishedType].safeParse(event).success),
  ),
  law('after a tick a row wakes exactly when decided, otherwise no later than before', ({ before, after, decision, exact, now }) => {
    if (decision.does === 'remove') return after?.wakeAt === undefined;
    const { wakeAt } = decision;
    if (exact) return after?.wakeAt === wakeAt || (decision.does === 'nothing' && isDue(before, now) && isDue(after, now)) || !after;
    if (decision.does === 'nothing') return true;
    const stored = before?.gone ? undefined : before?.wakeAt;
    return after?.wakeAt === (stored === undefined ? wakeAt : Math.min(stored, wakeAt ?? stored));
  }),
  law(
    'what is removed stays readable as gone for 30 days',
    ({ after, decision, now }) => decision.does !== 'remove' || (after?.gone === true && after.expiresAt === now + 30 * dayMs),
  ),
];

/** One row kept by the real `apply` on a table in memory, and the laws that hold for all rows. */
export class KeptRow<S> {
  readonly shell: TestShell;
  readonly ref: RowRef;
  readonly #schema: z.ZodType;
  #inputs = 0;

  constructor(ref: RowRef, schema: z.ZodType, shell = aShell()) {
    this.ref = ref;
    this.shell = shell;
    this.#schema = schema;
  }

  get row(): Row | undefined {
    return this.shell.table.rows.get(nameOf(keyOf(this.ref)));
  }

  /** The state: undefined when there is none, or none any more. */
  get state(): S | undefined {
    const { row } = this;
    return !row || row.gone || (row.expiresAt !== undefined && row.expiresAt <= this.shell.now()) ? undefined : (row.body as S);
  }

  /** An input id that was never given. */
  newId(): string {
    this.#inputs += 1;
    return `input-${this.#inputs}`;
  }

  /**
   * Carries an input out and holds the row to its laws; sometimes the answer to the commit is lost, which must change
   * nothing.
   */
  async take<I extends { readonly id: string; readonly type?: string }>(
    input: I,
    decide: (state: S | undefined, input: I, now: EpochMs) => Decision<S>,
    { losesAnswer = false } = {},
  ): Promise<Decision<S>> {
    const before = this.row;
    const emitted = this.shell.table.feed.length;
    const { decision, state } = await apply<S, I>(losesAnswer ? losingAnswers(this.shell) : this.shell, this.ref, input, decide);
    this.holdTo({ before, after: this.row, decision, input, now: this.shell.now(), exact: input.type === 'tick' });
    same(whole(state), this.state, 'what apply answers is what is stored');
    const { row } = this;
    const isOnFeed = row !== undefined && row.rev !== (before?.rev ?? 0) && isEmitted(row);
    same(this.shell.table.feed.length - emitted, isOnFeed ? 1 : 0, 'a commit is on the feed once, when it emits');
    return decision;
  }

  /** Holds what was stored to the laws of all rows. */
  holdTo(stored: Stored): void {
    keeps(rowLaws, stored);
    const parsed = this.#schema.safeParse(stored.after?.body);
    if (stored.after && !parsed.success) throw new Error(`a row has only the fields that its schema names: ${parsed.error}`);
  }
}
