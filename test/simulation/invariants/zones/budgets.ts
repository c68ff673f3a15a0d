import { minuteMs } from '../../../../lib/core/time.ts';
import { movedPerMinute } from '../../../../lib/zones/placing/rows/budget.ts';
import { type Counts, countAt } from '../../../../lib/zones/zone.ts';
import type { Invariant } from '../invariant.ts';
import { ownersMoved, standingIn, type ZoneStep, ZoneTruth } from './zone-truth.ts';

const serving = new Set(['up', 'suspect', 'draining', 'held', 'quarantined']);

/** A node that joins or drains is no emergency, and each client that moves is a registration. */
export const budgets: Invariant = {
  name: 'moves-keep-within-budgets',
  says: 'of the slots with clients, no more than 0.5 % a minute, and a minute at once, leave nodes that serve, but for those that go home',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    /** By zone, the last counts: a plan may have read the one before. */
    const counted = new Map<string, readonly Counts[]>();
    const moved = new Map<string, { readonly at: number; readonly slots: number }[]>();
    return {
      committed: (changes) => {
        const step = truth.take(changes);
        if (step) {
          const past = moved.get(step.name) ?? [];
          past.push({ at: step.at, slots: charged(step, counted.get(step.name) ?? []) });
          moved.set(step.name, past);
          const wrong = tooMany(past, step.after.head.slots);
          if (wrong) violated(`${step.name} at version ${step.after.head.version} (${step.cause}): ${wrong}`);
        }
        for (const { after } of changes) {
          if (after.key.sk !== 'counts') continue;
          const zone = decodeURIComponent(after.key.pk.slice('zone#'.length));
          counted.set(zone, [...(counted.get(zone) ?? []), after.body as Counts].slice(-2));
        }
      },
    };
  },
};

/**
 * Slots that left nodes that serve, had clients in every count that the plan may have read, and did not go home to one
 * that is back.
 */
function charged(step: ZoneStep, counts: readonly Counts[]): number {
  const { before, after } = step;
  // A count may be of fewer slots than the zone has by now: who was in one may be in any of those that it has become.
  const countedAs = (slot: number, { perSlot }: Counts): number => Math.floor((slot * (perSlot.length / 2)) / after.head.slots);
  const hadClients = (slot: number): boolean =>
    counts.length === 2 && counts.every((one) => countAt(one.perSlot, countedAs(slot, one)) > 0);
  return ownersMoved(step).filter(
    ({ slot, from, to }) => serving.has(standingIn(after, from)) && before!.map.home[slot] !== to && hadClients(slot),
  ).length;
}

function tooMany(past: readonly { readonly at: number; readonly slots: number }[], slots: number): string | undefined {
  const { at, slots: now } = past.at(-1)!;
  if (now === 0) return undefined;
  let sum = 0;
  for (let n = past.length - 1; n >= 0; n--) {
    sum += past[n]!.slots;
    const most = ((at - past[n]!.at) / minuteMs + 1) * movedPerMinute * slots + 1;
    if (sum > most) return `${sum} slots with clients moved within ${(at - past[n]!.at) / 1000} s, of which ${most.toFixed(1)} may`;
  }
  return undefined;
}
