import { movesFrozen } from '../../../../lib/zones/guardrails/guardrails.ts';
import type { Counts } from '../../../../lib/zones/zone.ts';
import type { Invariant } from '../invariant.ts';
import { metOld } from '../versions.ts';
import { clientsOn, LastCounts } from './capacity.ts';
import { indexesOf, standingIn, type ZoneState, type ZoneStep, ZoneTruth } from './zone-truth.ts';

/** Whoever has few client systems wants them as even as whoever has many. */
export const evened: Invariant = {
  name: 'no-zone-is-too-small-to-be-even',
  says: 'in production mode no plan leaves a node with a tenth more client systems than its share, and more than one, by any count that it may have read, unless it evens that out, notes since when it is so, or rests',
  begin: ({ violated, world }) => {
    const truth = new ZoneTruth();
    const isOld = metOld(world);
    const counted = new LastCounts();
    return {
      committed: (changes) => {
        const step = truth.take(changes);
        const counts = step ? counted.of(step.name) : [];
        counted.take(changes);
        if (!step || isOld() || counts.length < 2 || !mustNote(step) || !counts.every((one) => isUneven(step.after, one))) return;
        violated(`${step.name} at version ${step.after.head.version} is uneven, and nothing says so`);
      },
    };
  },
};

/**
 * Whether a plan made this step that had nothing more urgent to do, and has noted nothing. Pins weigh as well, and are
 * in no count.
 */
function mustNote({ at, before, after, nodes }: ZoneStep): boolean {
  const { mode, settling, budgets, pinned } = after.head;
  const { balancing, unevenSince, restsUntil = 0 } = budgets;
  const isPlan = before !== undefined && (nodes.length > 0 || before.map !== after.map);
  const isNoted = balancing === true || unevenSince !== undefined || restsUntil > at;
  return isPlan && mode === 'production' && settling.length === 0 && !pinned && !movesFrozen(after.head) && !isNoted;
}

function isUneven(zone: ZoneState, counts: Counts): boolean {
  const up = indexesOf(zone).filter((index) => standingIn(zone, index) === 'up');
  const weight = (index: number): number => zone.members[index]?.weight ?? 1;
  const clients = up.map((index) => clientsOn(zone, counts, index));
  const fair = clients.reduce((sum, one) => sum + one, 0) / up.reduce((sum, index) => sum + weight(index), 0);
  return up.some((index, n) => clients[n]! > 1.1 * fair * weight(index) && clients[n]! - fair * weight(index) > 1);
}
