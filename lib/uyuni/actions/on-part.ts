import { type Decision, nothing, write } from '../../core/decision.ts';
import type { ActionNumber } from '../../core/ids.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { type Action, type ActionPart, type ActionThere, knownForMs } from './rows/action.ts';

/** One more server has scheduled its part of an action; each server has one part. */
export function decidePart(action: Action | undefined, part: ActionPart, now: EpochMs): Decision<Action> {
  const { parts = [], recordedAt = now } = action ?? {};
  if (parts.some(({ node }) => node === part.node)) return nothing(`the part of ${part.fqdn} is recorded`);
  const expiresAt = plusMs(recordedAt, knownForMs);
  return write<Action, never>({ parts: [...parts, part], recordedAt, expiresAt }, `${part.fqdn} has scheduled its part`, { expiresAt });
}

/** Which action of the cluster an action of a server belongs to: the one that was scheduled there last. */
export function decideThere(there: ActionThere | undefined, number: ActionNumber, now: EpochMs): Decision<ActionThere> {
  if (there?.number === number) return nothing('it is recorded');
  return write<ActionThere, never>({ number }, 'its number in the cluster', { expiresAt: plusMs(now, knownForMs) });
}
