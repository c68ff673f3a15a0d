import { type Concluded, type Plan, type PlannedChange, type Removed, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { gateRef, type HeldGate, type ZoneGate } from './gate/gate.ts';
import { admittedIn } from './map/rows/roster.ts';
import { type Members, type ZoneHead, zoneRef } from './zone.ts';

/** A zone about to be deleted, as a plan read it: its head, its gate, and the rows that are removed with it. */
export type EndingZone = {
  readonly head: ZoneHead;
  readonly headRev: number;
  readonly gate: HeldGate;
  readonly others: readonly { readonly ref: PlannedChange['ref']; readonly rev: number; readonly body: unknown }[];
  /** Changes that are not plain removals. */
  readonly besides?: readonly PlannedChange[];
};

/**
 * The last commit of a zone: removes its head and the rows that belong to it, and shuts its gate for good. No changes
 * when its gate was opened or it still has nodes.
 */
export function planDeletion({ head, headRev, gate, others, besides = [] }: EndingZone, now: EpochMs): Plan {
  if (gate.gate.deletingSince === undefined || admittedIn(head.roster) > 0) return { changes: [], because: ['the zone is not empty'] };
  const because = `zone ${head.name} deleted`;
  const events: Concluded[] = [{ type: 'zone.deleted', version: 1, data: { zone: head.name, number: head.number } }];
  const ended = (last: unknown, emitted: readonly Concluded[] = []): Removed<unknown> => ({
    does: 'remove',
    last,
    events: emitted,
    because,
  });
  return {
    because: [because],
    changes: [
      { ref: zoneRef(head.name), readRev: headRev, decision: ended(head, events) },
      ...others.map(({ ref, rev, body }) => ({ ref, readRev: rev, decision: ended(body) })),
      {
        ref: gateRef(gate.number),
        readRev: gate.rev,
        decision: write<ZoneGate, never>({ ...gate.gate, deletedAt: now }, because),
      },
      ...besides,
    ],
  };
}

/**
 * Removes the rows of pages of a zone whose gate is shut. A page of members ends empty, because readers of pages check
 * nothing else.
 */
export const planCleared = (rows: EndingZone['others']): Plan => ({
  because: ['the zone is deleted'],
  changes: rows.map(({ ref, rev, body }) => {
    const last = ref.noun === 'members' ? ({ members: [] } satisfies Members) : body;
    return { ref, readRev: rev, decision: { does: 'remove', last, events: [], because: 'the zone is deleted' } };
  }),
});
