import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { seesSystem } from '../../access/zones-of-caller.ts';
import type { Row } from '../../ports/table/table.ts';
import { cursorAt, positionOf } from '../../runtime/cursors.ts';
import { inParts } from '../../runtime/in-parts.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { print } from '../../search/language/print.ts';
import { fleetOf } from '../../search/reads/fleet.ts';
import type { Order, Position } from '../../search/segment/page.ts';
import type { SystemView } from '../admin-routes.ts';
import { type Client, clientRef } from '../client.ts';
import { systemIn } from '../reads/rows.ts';
import { selectedMax } from '../rows/selected.ts';
import { matching, readQuery } from './matching.ts';
import { expectOf } from './selection.ts';
import { viewOf } from './systems.ts';

type Asked = AdminCall<'findSystems'>['query'];

/** How many of the most frequent values a facet has. */
const facetTop = 20;
/** Views of an answer made at once. */
const atOnce = 16;

/**
 * The client systems that match a query, of the zones that the caller may see: no count betrays another. Items are as
 * their rows are now; one that was removed since it was indexed is left out.
 */
export async function findSystems({ query, caller }: AdminCall<'findSystems'>, shell: Shell): Promise<Answer> {
  const at = shell.now();
  const parsed = readQuery(query.q, at, '/q');
  const { cursor, limit, ...asked } = query;
  const signature = `found ${JSON.stringify(asked)}`;
  const position = await positionOf(shell, cursor, signature);
  const fleet = await fleetOf(shell);
  const order: Order = { by: query.sort === 'fp' ? 'id' : query.sort, down: query.down === 'yes' };
  const found = await matching(shell, fleet, caller, {
    query: parsed,
    order,
    idsMax: query.expect ? selectedMax : 0,
    limit,
    facets: facetsOf(query),
    after: placeIn(position),
  });
  const rows = await readRows(
    shell,
    found.rows.map(({ position: { id } }) => clientRef(id)),
  );
  const views = await inParts(rows, atOnce, (row) => viewed(shell, row, caller));
  const next = found.next && limit > 0 ? await cursorAt(shell, JSON.stringify(found.next), signature) : undefined;
  return {
    status: 200,
    body: {
      items: views.filter((view) => view !== undefined),
      ...(next !== undefined && { next }),
      total: found.total,
      ...(found.ids && { expect: expectOf(found.ids, at) }),
      asOf: new Date(fleet.asOf).toISOString(),
      query: print(parsed),
      plan: found.plan.filter(({ at }) => at > 0).map(({ at, text, way, hits }) => ({ column: at, term: text, way, hits })),
      facets: found.facets,
    },
  };
}

const facetsOf = ({ facets }: Asked) => (facets?.split(',') ?? []).map((field) => ({ field, top: facetTop }));
const placeIn = (position: string | undefined): Position | undefined => (position === undefined ? undefined : JSON.parse(position));

/** A client system as its row is now; undefined if there is none, or the caller may not see it by now. */
async function viewed(shell: Shell, row: Row<Client> | undefined, caller: AdminCaller): Promise<SystemView | undefined> {
  const state = systemIn(row, shell.now());
  return row && state && seesSystem(caller, state) ? viewOf(shell, state, row, caller) : undefined;
}
