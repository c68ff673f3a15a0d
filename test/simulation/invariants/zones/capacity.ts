import { type Counts, countAt } from '../../../../lib/zones/zone.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { ownersMoved, type ZoneState, ZoneTruth } from './zone-truth.ts';

/** How far a node is filled: 97 % of what it declares, and one client at least. */
const most = (capacity: number): number => Math.max(1, Math.floor((capacity * 97) / 100));

/** Who is given more than he can bear serves nobody. */
export const capacity: Invariant = {
  name: 'no-node-is-filled-beyond-its-capacity',
  says: 'a plan gives no node slots with which it has more client systems, by a count that the plan may have read, than 97 % of the capacity that it declares',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    const counted = new LastCounts();
    return {
      committed: (changes) => {
        const step = truth.take(changes);
        const counts = step ? counted.of(step.name) : [];
        const gainers = new Set(step ? ownersMoved(step).map(({ to }) => to) : []);
        for (const index of gainers) {
          const declared = step!.after.members[index]?.capacity;
          if (declared === undefined || counts.length === 0) continue;
          const filled = counts.map((count) => clientsOn(step!.after, count, index));
          if (counts.some((count, n) => filled[n]! <= most(declared) || filled[n]! <= clientsOn(step!.before!, count, index))) continue;
          violated(
            `${step!.name} at version ${step!.after.head.version}: node ${index} declares ${declared} and is given ${filled.join(' or ')}`,
          );
        }
        counted.take(changes);
      },
    };
  },
};

/** By zone, the last two counts: a plan may have read the one before the last. */
export class LastCounts {
  readonly #counted = new Map<string, readonly Counts[]>();

  of = (zone: string): readonly Counts[] => this.#counted.get(zone) ?? [];

  take(changes: readonly Committed[]): void {
    for (const { after } of changes) {
      if (after.key.sk !== 'counts') continue;
      const zone = decodeURIComponent(after.key.pk.slice('zone#'.length));
      this.#counted.set(zone, [...this.of(zone), after.body as Counts].slice(-2));
    }
  }
}

/** Whether a node had more clients than 97 % of what it declares, by a count that a plan may have read. */
export function isOverfull(zone: ZoneState, counts: readonly Counts[], index: number): boolean {
  const declared = zone.members[index]?.capacity;
  return declared !== undefined && counts.some((count) => clientsOn(zone, count, index) > most(declared));
}

/** The clients of a node by a count, of which a slot has its part where there are more slots than are counted. */
export function clientsOn({ map }: ZoneState, { perSlot }: Counts, index: number): number {
  const parts = map.owner.length / (perSlot.length / 2);
  return map.owner.reduce((sum, owner, slot) => sum + (owner === index ? countAt(perSlot, Math.floor(slot / parts)) / parts : 0), 0);
}
