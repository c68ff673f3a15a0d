import { type Decision, nothing, write } from '../../core/decision.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { heardWithinMs, type Subject } from './subject.ts';

/** A subject is locked, with what it made or without, or unlocked. */
export type SubjectCommand =
  | { readonly type: 'lock'; readonly id: string; readonly subject: string; readonly by: string; readonly withMade: boolean }
  | { readonly type: 'unlock'; readonly id: string };

/**
 * Decides what a lock means for one subject. The row stays after an unlock, because everything that ended with the lock
 * stays ended.
 */
export function decideSubject(known: Subject | undefined, command: SubjectCommand, now: EpochMs): Decision<Subject> {
  if (command.type === 'unlock') {
    if (known?.lockedAt === undefined) return nothing('it is not locked');
    const { lockedAt: _at, lockedBy: _by, ...unlocked } = known;
    return write<Subject, never>(unlocked, 'unlocked');
  }
  const { subject, by, withMade } = command;
  if (known?.lockedAt !== undefined && !withMade) return nothing('it is locked already');
  const locked = { ...known, subject, lockedAt: known?.lockedAt ?? now, lockedBy: known?.lockedBy ?? by };
  return withMade
    ? write<Subject, never>({ ...locked, madeEndedAt: plusMs(now, heardWithinMs) }, 'locked, with all that it made')
    : write<Subject, never>(locked, 'locked');
}
