import * as z from 'zod';
import type { Client } from '../../clients/client.ts';
import { nothing, type Plan, type PlannedChange, type RowRef, write } from '../../core/decision.ts';
import type { Node } from '../../nodes/node.ts';
import { gateRef } from './gate.ts';

/**
 * Records that a client system or a node entered a zone: a row of the zone, committed with the row of the client system
 * or node. The key names the zone and the resident, so the row is empty. Only the resident's own row says whether it
 * still belongs to the zone, and only that row changes when a key is banned or a node is given up, so the two cannot
 * diverge. A deletion queries these rows with strong consistency, and so finds residents that the list index does not
 * show yet.
 */
export const Resident = z.strictObject({});
export type Resident = z.infer<typeof Resident>;

/** Rows that can be residents: a zone must not be deleted while it has any. */
export type ResidentRow = { readonly noun: 'client' | 'node'; readonly id: string };

/** The row of a resident, in the zone with this number. */
export const residentRef = (zone: number, { noun, id }: RowRef): RowRef => ({ noun: 'resident', id: `${zone}/${noun}:${id}` });

/** A resident's row as it was read. */
type ReadRow = { readonly rev: number; readonly gone?: true };

/**
 * The change that makes a row a resident. An existing resident, such as a node that comes back, writes nothing and
 * holds the row at the revision that was read: between that read and this commit, a deletion may remove the rows of
 * former residents and open the gate again.
 */
export const settling = (zone: number, who: ResidentRow, row: ReadRow | undefined): PlannedChange => ({
  ref: residentRef(zone, who),
  readRev: row?.rev ?? 0,
  decision: row && !row.gone ? nothing('it already is a resident') : write<Resident, never>({}, 'it entered the zone'),
  besides: true,
});

/**
 * Whether a resident still belongs to the zone, by its own row: an accepted client system, or a node that was not given
 * up.
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
 * Removes the rows of residents that have left, as long as the gate is still shut as it was. A resident that comes back
 * later enters the gate again.
 */
export const planLeft = (
  left: readonly { readonly ref: RowRef; readonly rev: number }[],
  { number, gateRev }: { readonly number: number; readonly gateRev: number },
): Plan => ({
  because: ['residents have left the zone'],
  changes: [
    ...left.map(({ ref, rev }): PlannedChange => {
      const decision = { does: 'remove', last: {} satisfies Resident, events: [], because: 'it has left the zone' } as const;
      return { ref, readRev: rev, decision, besides: true };
    }),
    { ref: gateRef(number), readRev: gateRev, decision: nothing('the gate is still shut') },
  ],
});
