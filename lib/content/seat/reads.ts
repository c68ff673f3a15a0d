import type { Fqdn, NodeId } from '../../core/ids.ts';
import { desiredRef, isGiven } from '../../nodes/desired/desired.ts';
import { nodeRef } from '../../nodes/node.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { admitsAt, type LoadedZone, slotsOwned } from '../../zones/rows/loaded.ts';
import type { Candidate } from './decide.ts';
import { candidateOf } from './fit.ts';
import type { Seat } from './seat.ts';

/** How many nodes are read at a time to find one that can become the seat. */
const readAtOnce = 50;

/**
 * Nodes of a zone that can become its seat: those with changes that the others lack, the seat before, then the one that
 * the editor prefers, then those with the fewest slots, by their ids where these are as many. All environments find the
 * same, so that elections at the same time have the same outcome as a rule; the commit of one alone holds.
 */
export async function candidatesIn(
  shell: Shell,
  zone: LoadedZone,
  seat: Seat | undefined,
  prefers: Fqdn | undefined,
): Promise<Candidate[]> {
  const owned = slotsOwned(zone);
  const members = zone.members.flatMap((member, index) =>
    member && admitsAt(zone, index) ? [{ node: member.node, slots: member.fqdn === prefers ? -1 : (owned[index] ?? 0) }] : [],
  );
  members.sort((a, b) => a.slots - b.slots || (a.node < b.node ? -1 : 1));
  const first = [...(seat?.ahead ?? []), ...(seat?.before ? [seat.before] : [])].map(({ node }) => node);
  const nodes = [...new Set<NodeId>([...first, ...members.map(({ node }) => node)])];
  for (let at = 0; at < nodes.length; at += readAtOnce) {
    const found = await candidatesAmong(shell, zone, nodes.slice(at, at + readAtOnce));
    if (found.length > 0) return found;
  }
  return [];
}

async function candidatesAmong(shell: Shell, { head }: LoadedZone, nodes: readonly NodeId[]): Promise<Candidate[]> {
  const rows = await readRows(
    shell,
    nodes.map((node) => nodeRef(node)),
  );
  const desired = await readRows(
    shell,
    nodes.map((node) => desiredRef(node)),
  );
  return rows.flatMap((row, n) => {
    const node = stateOf(row, shell.now());
    if (!node || node.zone !== head.name || isGiven(stateOf(desired[n], shell.now()), node.generation, shell.now())) return [];
    return candidateOf(node) ?? [];
  });
}
