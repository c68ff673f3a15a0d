import { Refusal } from '../../api/problem.ts';
import type { Node } from '../../nodes/node.ts';
import { pinnedIn, pinnedTo as pinsOn } from '../../ports/table/keys.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type PinnedNode, pinnedTo } from '../../zones/pins/pins.ts';
import { zoneNow, zoneOf } from '../../zones/reads/zones.ts';
import type { LoadedZone } from '../../zones/rows/loaded.ts';
import { clientRef } from '../client.ts';
import { systemIn } from './rows.ts';

/** How many client systems wait for this node and no other, by the zone as this environment has it. */
export async function pinnedHardTo(shell: Shell, { zone: name, index }: Node): Promise<number> {
  const zone = index === undefined ? undefined : await zoneOf(shell, name);
  return zone ? hardOf(pinnedTo(zone.pins, index!)) : 0;
}

const hardOf = (pins: readonly PinnedNode[]): number => pins.reduce((sum, { hard }) => sum + hard, 0);

/** A number of client systems, in words. */
export const systemsText = (n: number): string => `${n} client system${n === 1 ? '' : 's'}`;

/**
 * Throws a {@link Refusal} that names the client systems that wait for this node and no other, by the zone as the table
 * has it. No client system may wait for a node that never comes back. A replacement takes them over, so a replaced node
 * is not refused.
 */
export async function refuseAwaited(shell: Shell, { zone: name, index, fqdn, replacedBy }: Node): Promise<void> {
  const zone = index === undefined || replacedBy ? undefined : await zoneNow(shell, name);
  const pins = zone ? pinnedTo(zone.pins, index!) : [];
  const awaiting = hardOf(pins);
  if (awaiting === 0) return;
  const waits = `${awaited(await namesOf(shell, zone!, pins), awaiting)} ${awaiting === 1 ? 'waits' : 'wait'} for ${fqdn} and no other`;
  throw new Refusal('refused', `${waits}: pin them elsewhere, unpin them (system list --pinned), or replace the node (node replace)`);
}

/** How many of the waiting client systems are named. */
const namedMax = 5;

/** The index may not have the latest pins yet: then fewer are named, but all are counted. */
function awaited(names: readonly string[], awaiting: number): string {
  const more = awaiting - names.length;
  if (names.length === 0) return systemsText(awaiting);
  return more > 0 ? `${names.join(', ')} and ${systemsText(more)} more` : names.join(', ');
}

/**
 * The names of the first client systems that are pinned hard to one of these nodes, as far as the first page of each
 * has them.
 */
async function namesOf(shell: Shell, { head }: LoadedZone, pins: readonly PinnedNode[]): Promise<string[]> {
  const pages = await Promise.all(
    pins.map(({ index }) => shell.table.queryIndex({ index: 'inverse', pk: pinsOn(head.name, index), limit: 100 })),
  );
  const fps = pages.flatMap(({ items }) => items.map(({ sk }) => pinnedIn(sk))).flatMap(({ fp, soft }) => (soft ? [] : [fp]));
  const rows = await readRows(
    shell,
    fps.slice(0, namedMax).map((id) => clientRef(id)),
  );
  return rows.flatMap((row) => systemIn(row, shell.now())?.fqdn ?? []).sort();
}
