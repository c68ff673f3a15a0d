import { type EpochMs, minuteMs } from '../core/time.ts';
import type { AuditEntry, AuditMark, ChainName } from './chain.ts';
import { type AnyRow, coreOfRow, hashOfRow, isGuarded } from './seal.ts';
import type { Fault } from './verify.ts';

/** How long a change may be on its way into the audit. Later, a row that the audit does not explain is a fault. */
export const onItsWayMs = 15 * minuteMs;

/**
 * Whether a row was written so recently that the audit may not have it yet, by its own time. Muster does not write rows
 * with a later time than now.
 */
export const isOnItsWay = ({ at }: Pick<AnyRow, 'at'>, now: EpochMs): boolean => Math.abs(now - at) <= onItsWayMs;

/**
 * The rows to check an entry against: the mark beside it, the row as it is now, and for a guarded row the sound marks
 * of all its revisions.
 */
export type Beside = {
  readonly mark: Pick<AuditMark, 'row' | 'core'> | undefined;
  readonly row: AnyRow | undefined;
  readonly marked: ReadonlyMap<number, Pick<AuditMark, 'core'>>;
};

/**
 * Checks that the row of an entry is as the entry left it, as far as only actions change it. The row of an API key is
 * checked whatever use was recorded since; any other row only while nothing was written since. A row that was removed,
 * or began anew, is not checked.
 */
export function faultOfRow(chain: ChainName, entry: AuditEntry, beside: Beside, now: EpochMs): Fault | undefined {
  const { noun, id } = entry.what;
  const at = { ...chain, n: entry.n };
  const { mark, row } = beside;
  // The entry is older than the hashes in marks.
  if (mark?.row === undefined) return undefined;
  if (isGuarded(noun) && beganUnseen(entry, beside))
    return { ...at, what: `${noun} ${id} was not created by Muster: the audit has no entry of its creation` };
  const isOtherThanMade = isGuarded(noun) && mark.core !== beside.marked.get(1)?.core;
  if (row && mustMatch(entry, row, beside, now) && !isOtherThanMade && !isLeft(noun, row, mark.row))
    return { ...at, what: `the row of ${noun} ${id} is not as this entry left it` };
  // Fields that no call changes are as they were at creation, whatever time of writing the row has.
  if (isOtherThanMade || (row && isGuarded(noun) && isLast(entry, beside) && coreOfRow(noun, row) !== mark.core))
    return { ...at, what: `a field of ${noun} ${id} was changed that no call changes` };
  return undefined;
}

/**
 * Whether the row has this hash, or had it when its zone was at an earlier epoch: each import restores the head of a
 * zone with the next epoch, which is not a commit. An epoch that went back is a fault, because revoked tokens would be
 * valid again.
 */
function isLeft(noun: string, row: AnyRow, hash: string): boolean {
  if (hashOfRow(noun, row) === hash) return true;
  const { epoch } = row.body as { readonly epoch?: unknown };
  if (noun !== 'zone' || typeof epoch !== 'number' || !Number.isSafeInteger(epoch)) return false;
  for (let before = epoch - 1; before >= Math.max(0, epoch - importsMax); before--)
    if (hashOfRow(noun, { ...row, body: { ...(row.body as object), epoch: before } }) === hash) return true;
  return false;
}

/**
 * The most imports that are assumed since a change of a zone: a writer to the table can set any epoch, and each one
 * tried costs a hash.
 */
const importsMax = 100;

/** Whether a row was changed whose creation the audit does not record. */
const beganUnseen = ({ did, what: { rev } }: AuditEntry, { marked }: Beside): boolean =>
  did !== 'tried' && (rev === 1 ? did !== 'began' : !marked.has(1));

/** Whether the audit has no later change of a guarded row. */
const isLast = ({ what }: Pick<AuditEntry, 'what'>, { marked }: Pick<Beside, 'marked'>): boolean =>
  ![...marked.keys()].some((rev) => rev > what.rev);

/** Whether the row must still be as the entry left it. */
function mustMatch({ at, what }: AuditEntry, row: AnyRow, { marked }: Beside, now: EpochMs): boolean {
  if (isGuarded(what.noun)) return isLast({ what }, { marked }) && (row.rev <= what.rev || !isOnItsWay(row, now));
  // A row that expired and began anew counts from 1 again, and was written later.
  return row.rev === what.rev ? row.at === at : row.rev < what.rev && row.at <= at;
}
