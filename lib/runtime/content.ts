import { type Decision, isSame, type PlannedChange, type RowRef } from '../core/decision.ts';
import type { Ref } from '../core/ref.ts';
import { dayMs, type EpochMs, earlier, plusMs } from '../core/time.ts';
import { edgeOf, keyOf, listOf } from '../ports/table/keys.ts';
import { type Actor, type Put, type Row, type RowContent, stateReasonOf } from '../ports/table/table.ts';

/** How long an ended row stays readable as gone, at the least: a row that had events stays as long as their history. */
export const goneForMs = 30 * dayMs;

/**
 * The cause, the time and the actor, if any, of a commit; `exact` when the decided `wakeAt` replaces the stored one, as
 * after a tick or in a plan. A row that is due, and would be due again within `staysDueMs`, is left as it is.
 */
export type Cause = {
  readonly by: string;
  readonly at: EpochMs;
  readonly exact: boolean;
  readonly staysDueMs?: number | undefined;
  readonly actor?: Actor | undefined;
};

/**
 * The state in a row: undefined when it never existed, is gone, or has expired. For a row that a query found, the
 * caller names the type.
 */
export function stateOf<S>(row: Row<S> | undefined, now: EpochMs): S | undefined;
export function stateOf<S>(row: Row | undefined, now: EpochMs): S | undefined;
export function stateOf<S>(row: Row<S> | undefined, now: EpochMs): S | undefined {
  return !row || row.gone || (row.expiresAt !== undefined && row.expiresAt <= now) ? undefined : row.body;
}

/**
 * The new content of a row after a decision: event numbers continue, `wakeAt` is a lower bound unless the cause is
 * exact.
 */
export function contentOf<S>(
  ref: Ref<S>,
  row: Row<S> | undefined,
  decision: Decision<S>,
  { by, at, exact, staysDueMs = 0, actor }: Cause,
): RowContent<S> | undefined {
  if (decision.does === 'nothing') return row && exact ? rearmed(row, decision.wakeAt, { now: at, staysDueMs }) : undefined;
  const eventSeq = row?.eventSeq ?? 0;
  const committed = {
    key: keyOf(ref),
    at,
    by,
    because: decision.because,
    ...(actor && { actor }),
    events: decision.events.map((event, n) => ({ ...event, seq: eventSeq + n + 1 })),
    eventSeq: eventSeq + decision.events.length,
  };
  if (decision.does === 'remove') return { ...committed, body: decision.last, expiresAt: plusMs(at, goneForMs), gone: true };
  const wakeAt = exact ? decision.wakeAt : earlier(row?.gone ? undefined : row?.wakeAt, decision.wakeAt);
  const list = listOf(ref, decision.next);
  const edge = edgeOf(ref, decision.next);
  return {
    ...committed,
    body: decision.next,
    ...(decision.aside && row && !row.gone && { stands: stateReasonOf(row) }),
    ...(actor && row && !row.gone && { changed: changedIn(row.body, decision.next) }),
    ...(wakeAt !== undefined && { wakeAt }),
    ...(decision.expiresAt !== undefined && { expiresAt: decision.expiresAt }),
    ...(list && { list }),
    ...(edge && { edge }),
  };
}

/**
 * What a decision changes in a row that was read for it, for a plan. A plan sets `wakeAt` exactly, so a row that an
 * order changes without saying when it is due stays due when it was.
 */
export function changeOfRow(ref: RowRef, row: Row | undefined, decision: Decision<unknown>): PlannedChange {
  const change = { ref, readRev: row?.rev ?? 0 };
  const wakeAt = decision.does === 'remove' || row?.gone ? undefined : (decision.wakeAt ?? row?.wakeAt);
  if (decision.does === 'remove' || wakeAt === undefined) return { ...change, decision };
  return { ...change, decision: { ...decision, wakeAt } };
}

/**
 * Whether a row, read after a commit whose answer may have been lost, is what that commit put, with no other write
 * since. Cause and revision alone do not prove it: a row that is re-armed keeps the cause of its last commit, which may
 * be an earlier one of the same input.
 */
export const isAsPut = (row: Row | undefined, { put, readRev }: Put): boolean =>
  row?.rev === readRev + 1 && row.by === put.by && row.at === put.at && row.because === put.because && row.wakeAt === put.wakeAt;

/** The names of the fields that changed. */
function changedIn(before: unknown, next: unknown): string[] {
  const [was, is] = [before, next] as [Readonly<Record<string, unknown>>, Readonly<Record<string, unknown>>];
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((name) => !isSame(was[name], is[name])).sort();
}

/**
 * The same row with another `wakeAt`, without an actor; undefined when that would change nothing: equal, or both
 * already due, where due again within `staysDueMs` counts as due.
 */
function rearmed<S>(
  row: Row<S>,
  wakeAt: EpochMs | undefined,
  { now, staysDueMs }: { readonly now: EpochMs; readonly staysDueMs: number },
): RowContent<S> | undefined {
  if (row.wakeAt === wakeAt) return undefined;
  if (row.wakeAt !== undefined && wakeAt !== undefined && row.wakeAt <= now && wakeAt <= now + staysDueMs) return undefined;
  const { rev: _rev, wakeAt: _stored, actor: _who, changed: _what, ...content } = row;
  return { ...content, events: [], ...(wakeAt !== undefined && { wakeAt }) };
}
