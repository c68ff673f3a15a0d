import type { Client } from '../../../../lib/clients/client.ts';
import type { Invariant } from '../invariant.ts';
import { indexesOf, ownersMoved, slotsOf, standingIn, type ZoneState, type ZoneStep, ZoneTruth } from './zone-truth.ts';

/** A plan is as even as slots allow; what clients weigh beside their slots is the slack. */
export const shares: Invariant = {
  name: 'slots-are-shared-by-weight',
  says: 'a node that joins in production mode gets its share by weight; what a lost node leaves goes to whoever has the least for its weight',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    /**
     * Client systems that were ever accepted, more than there are machines: one that is made anew has another key, and
     * its counts may be old.
     */
    const accepted = new Set<string>();
    return {
      committed: (changes) => {
        for (const { after } of changes)
          if (after.key.sk === 'client' && (after.body as Client).standing === 'accepted') accepted.add(after.key.pk);
        const step = truth.take(changes);
        const wrong = step?.before && unevenly(step, accepted.size + 2);
        if (wrong) violated(`${step.name} at version ${step.after.head.version}: ${wrong}`);
      },
    };
  },
};

const weightIn = (zone: ZoneState, index: number): number => zone.members[index]?.weight ?? 1;

function unevenly(step: ZoneStep, slack: number): string | undefined {
  const { before, after } = step;
  const moved = ownersMoved(step);
  if (moved.length === 0 || after.head.settling.length > 0) return undefined;
  const up = indexesOf(after).filter((index) => standingIn(after, index) === 'up');
  const owned = slotsOf(after);
  const has = (index: number): number => owned.get(index) ?? 0;
  const fair = up.reduce((sum, index) => sum + has(index), 0) / up.reduce((sum, index) => sum + weightIn(after, index), 0);
  const news = up.filter((index) => ['none', 'joining'].includes(standingIn(before!, index)));
  const owed = after.head.mode === 'production' ? news : [];
  const short = owed.find((index) => Math.abs(has(index) - fair * weightIn(after, index)) > slack * Math.max(1, weightIn(after, index)));
  if (short !== undefined) return `node ${short} joined with ${has(short)} slots, its share is ${fair * weightIn(after, short)}`;
  // What goes home to a node may at once be a part of the share of another: with the slot, that one takes its home.
  const isShare = ({ slot, to }: (typeof moved)[number]): boolean =>
    standingIn(after, before!.map.home[slot]!) === 'up' && after.map.home[slot] === to;
  const others = moved.filter((one) => before!.map.home[one.slot] !== one.to && !isShare(one));
  // A share is taken from the fullest, whoever else has little: only what was left behind goes to the emptiest.
  if (news.length > 0 || others.some(({ from }) => standingIn(after, from) === 'up')) return undefined;
  const ratio = (index: number, more: number): number => (has(index) + more) / weightIn(after, index);
  // Balancing evens the clients out first: a node with few of them is given slots that have some, though it owns more
  // slots than others. There are no more such slots than clients.
  const took = (index: number): number => others.filter(({ to }) => to === index).length;
  // Who has joined before the mode became production takes its share by the same commit, which counts for itself.
  const shares = Map.groupBy(moved.filter(isShare), ({ to }) => to);
  for (const taker of new Set(others.map(({ to }) => to)))
    for (const other of took(taker) > slack ? up : [])
      if (ratio(taker, -slack - (shares.get(taker)?.length ?? 0)) > ratio(other, slack))
        return `node ${taker} took slots and has ${has(taker)}, node ${other} has ${has(other)}`;
  return undefined;
}
