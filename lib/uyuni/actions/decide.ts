import { type Decision, nothing, write } from '../../core/decision.ts';
import { type ActionNumber, clusterIdMax, firstActionNumber } from '../../core/ids.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { type Action, type ActionNumbers, type ActionPart, knownForMs } from './rows/action.ts';

/** Reserves the next `count` numbers. None are given twice, also not those of actions that have expired. */
export function decideNumbers(given: ActionNumbers | undefined, { count }: { readonly id: string; readonly count: number }) {
  const next = (given?.next ?? firstActionNumber) + count;
  if (next > clusterIdMax) return nothing('no numbers of actions are left');
  return write<ActionNumbers, never>({ next }, `${count} numbers of actions are reserved`);
}

/** What a server has scheduled is recorded under a reserved number. */
export type RecordAction = { readonly number: ActionNumber; readonly parts: readonly ActionPart[] };

/**
 * Decides what a number stands for: once and for all. The same parts again change nothing; other parts are refused,
 * since callers may have the number already. That the number is the caller's is proved before.
 */
export function decideRecord(action: Action | undefined, { number, parts }: RecordAction, now: EpochMs): Decision<Action> {
  if (action) return nothing(isSameParts(action.parts, parts) ? 'it is recorded' : `the number ${number} stands for another action`);
  const expiresAt = plusMs(now, knownForMs);
  const scheduled = parts.length === 1 ? '1 server has' : `${parts.length} servers have`;
  return write<Action, never>({ parts: [...parts], recordedAt: now, expiresAt }, `${scheduled} scheduled it`, { expiresAt });
}

/** Whether both are the same parts, in any order. */
export function isSameParts(a: readonly ActionPart[], b: readonly ActionPart[]): boolean {
  const textOf = (parts: readonly ActionPart[]): string =>
    parts
      .map(({ node, id }) => `${node}/${id}`)
      .sort()
      .join();
  return textOf(a) === textOf(b);
}
