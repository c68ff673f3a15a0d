import * as z from 'zod';
import type { Client } from '../../clients/client.ts';
import { nothing, type Plan, type PlannedChange, type RowRef, write } from '../../core/decision.ts';
import type { Node } from '../../nodes/node.ts';
import { gateRef } from './gate.ts';

/**
 * That a client system or a node came into a zone: a row of the zone, committed with its own. The key says who and
 * where, so the row holds nothing. Whether it still belongs to the zone, its own row says: that one alone changes when
 * a key is banned or a node is given up, so the two cannot come apart. A deletion finds here, by strongly consistent
 * queries, whoever the list index does not show yet.
 */
export const Resident = z.strictObject({});
export type Resident = z.infer<typeof Resident>;

/** Who can be a resident: those that a zone must not be deleted with. */
export type Settler = { readonly noun: 'client' | 'node'; readonly id: string };

/** The row of a resident, in the zone with this number. */
export const residentRef = (zone: number, { noun, id }: RowRef): RowRef => ({ noun: 'resident', id: `${zone}/${noun}:${id}` });

/** A resident's row as it was read. */
type Kept = { readonly rev: number; readonly gone?: true };

/**
 * The change that makes somebody a resident. Whoever is one already, such as a node that comes back, writes nothing and
 * holds the row as it was read: a deletion may end the rows of those who left and open the gate again between that read
 * and this commit.
 */
export const settling = (zone: number, who: Settler, row: Kept | undefined): PlannedChange => ({
  ref: residentRef(zone, who),
  readRev: row?.rev ?? 0,
  decision: row && !row.gone ? nothing('it is a resident already') : write<Resident, never>({}, 'it came into the zone'),
  besides: true,
});

/**
 * Whether the row of a resident says that it belongs to the zone still: an accepted client system, or a node that was
 * not given up.
 */
export function isSettled({ noun }: RowRef, state: unknown, zone: string): boolean {
  if (state === undefined) return false;
  if (noun === 'client') {
    const client = state as Client;
    return client.standing === 'accepted' && client.zone === zone;
  }
  const node = state as Node;
  return node.zone === zone && node.status !== 'dropped' && node.removedAt === undefined;
}

/**
 * Rows of residents that have left end, for as long as the gate is shut as it was: whoever comes back through it is a
 * resident again.
 */
export const planLeft = (
  left: readonly { readonly ref: RowRef; readonly rev: number }[],
  { number, gateRev }: { readonly number: number; readonly gateRev: number },
): Plan => ({
  because: ['they have left the zone'],
  changes: [
    ...left.map(({ ref, rev }): PlannedChange => {
      const decision = { does: 'remove', last: {} satisfies Resident, events: [], because: 'it has left the zone' } as const;
      return { ref, readRev: rev, decision, besides: true };
    }),
    { ref: gateRef(number), readRev: gateRev, decision: nothing('it is shut still') },
  ],
});
