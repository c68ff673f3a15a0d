import { type EpochMs, minuteMs } from '../core/time.ts';
import type { AuditEntry, AuditMark, ChainName } from './chain.ts';
import { type AnyRow, coreOfRow, hashOfRow, isGuarded } from './seal.ts';
import type { Fault } from './verify.ts';

/** How long a change may be on its way into the audit before a row that the audit does not explain is a fault. */
export const onItsWayMs = 15 * minuteMs;

/**
 * Whether a row says that it was written so short a time ago that the audit may not speak of it yet. One that says it
 * was written later than now was not written by Muster.
 */
export const isOnItsWay = ({ at }: Pick<AnyRow, 'at'>, now: EpochMs): boolean => Math.abs(now - at) <= onItsWayMs;

/**
 * What an entry is about: the mark beside it, its row as it is now, and of a guarded row the sound marks of all its
 * revisions.
 */
export type Beside = {
  readonly mark: Pick<AuditMark, 'row' | 'core'> | undefined;
  readonly row: AnyRow | undefined;
  readonly marked: ReadonlyMap<number, Pick<AuditMark, 'core'>>;
};

/**
 * Whether the row that an entry is about is as the entry left it, as far as only somebody's doing changes it: the row
 * of an API key whatever was noted of its use since, any other as long as nothing was written since. A row that has
 * been removed, or began anew, tells nothing.
 */
export function faultOfRow(chain: ChainName, entry: AuditEntry, beside: Beside, now: EpochMs): Fault | undefined {
  const { noun, id } = entry.what;
  const at = { ...chain, n: entry.n };
  const { mark, row } = beside;
  // An entry of before the marks had hashes.
  if (mark?.row === undefined) return undefined;
  if (isGuarded(noun) && beganUnseen(entry, beside))
    return { ...at, what: `nobody made ${noun} ${id}: the audit has no entry of its beginning` };
  const isOtherThanMade = isGuarded(noun) && mark.core !== beside.marked.get(1)?.core;
  if (row && isToBe(entry, row, beside, now) && !isOtherThanMade && !isLeft(noun, row, mark.row))
    return { ...at, what: `the row of ${noun} ${id} is not as this entry left it` };
  // What no call changes is as it was made, whenever the row says that it was written.
  if (isOtherThanMade || (row && isGuarded(noun) && isLast(entry, beside) && coreOfRow(noun, row) !== mark.core))
    return { ...at, what: `something of ${noun} ${id} was changed that no call changes` };
  return undefined;
}

/**
 * Whether the row has this hash, or had it when its zone was at an earlier epoch: the head of a zone comes back one on
 * from each import, which is no commit. An epoch that has gone back is somebody's doing, and would let revoked tokens
 * hold again.
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
 * As many imports since a change of a zone are believed: an epoch is whatever somebody wrote into the table, and each
 * one tried costs a hash.
 */
const importsMax = 100;

/** Whether something was changed of which the audit does not say that it was made. */
const beganUnseen = ({ did, what: { rev } }: AuditEntry, { marked }: Beside): boolean =>
  did !== 'tried' && (rev === 1 ? did !== 'began' : !marked.has(1));

/** Whether the audit speaks of no later change of a guarded row. */
const isLast = ({ what }: Pick<AuditEntry, 'what'>, { marked }: Pick<Beside, 'marked'>): boolean =>
  ![...marked.keys()].some((rev) => rev > what.rev);

/** Whether the row must still be as the entry left it. */
function isToBe({ at, what }: AuditEntry, row: AnyRow, { marked }: Beside, now: EpochMs): boolean {
  if (isGuarded(what.noun)) return isLast({ what }, { marked }) && (row.rev <= what.rev || !isOnItsWay(row, now));
  // One that has expired and began anew counts from 1 again, and was written later.
  return row.rev === what.rev ? row.at === at : row.rev < what.rev && row.at <= at;
}
