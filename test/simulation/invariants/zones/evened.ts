import { movesFrozen } from '../../../../lib/zones/guardrails/guardrails.ts';
import type { Counts } from '../../../../lib/zones/zone.ts';
import type { Invariant } from '../invariant.ts';
import { metOld } from '../versions.ts';
import { clientsOn, LastCounts } from './capacity.ts';
import { indexesOf, standingIn, type ZoneState, type ZoneStep, ZoneTruth } from './zone-truth.ts';

/** Whoever has few client systems wants them as even as whoever has many. */
export const evened: Invariant = {
  name: 'no-zone-is-too-small-to-be-even',
  says: 'in production mode no plan leaves a node with a tenth more client systems than its share, and more than one, by any count that it may have read, unless it evens that out, notes since when it is so, or rests; of a node that is full with less, the others share the rest',
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
  const clients = new Map(
    indexesOf(zone)
      .filter((index) => standingIn(zone, index) === 'up')
      .map((index) => [index, clientsOn(zone, counts, index)]),
  );
  const weight = (index: number): number => zone.members[index]?.weight ?? 1;
  const share = shareOf(zone, clients, weight);
  return [...clients].some(([index, has]) => has > 1.1 * share * weight(index) && has - share * weight(index) > 1);
}

/** The share of a node of weight 1: a node without room for a slot and one more keeps what it has. */
function shareOf({ map, members }: ZoneState, clients: ReadonlyMap<number, number>, weight: (index: number) => number): number {
  const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
  const more = 1 + sum([...clients.values()]) / map.owner.length;
  const isFull = (index: number, has: number): boolean => has + more > 0.97 * (members[index]?.capacity ?? Number.POSITIVE_INFINITY);
  let [sharing, share] = [[...clients], 0];
  for (let before = Number.POSITIVE_INFINITY; sharing.length > 0 && sharing.length < before; ) {
    before = sharing.length;
    const now = sum(sharing.map(([, has]) => has)) / sum(sharing.map(([index]) => weight(index)));
    share = now;
    sharing = sharing.filter(([index, has]) => !isFull(index, has) || has >= now * weight(index));
  }
  return share;
}
