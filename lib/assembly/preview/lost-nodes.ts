import type { AdminCall } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import { clusterRef } from '../../mero/clusters/cluster.ts';
import { rowsIn } from '../../mero/clusters/reads/rows.ts';
import type { Place } from '../../mero/facts/load/parts.ts';
import { layoutRef } from '../../mero/loads/load.ts';
import type { Node } from '../../nodes/node.ts';
import { loadRange } from '../../ports/table/keys.ts';
import { read, trustedRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { foundNodeIn } from '../../zones/reads/found.ts';
import { nodeRows } from './rows.ts';

type Call = Pick<AdminCall<'previewZone'>, 'params' | 'caller'>;

/** Hosts that fall silent together: those that are nodes of the zone, and the names of all. */
export type Lost = { readonly nodes: readonly Node[]; readonly hosts: ReadonlySet<string> };

/**
 * The hosts of a zone that a text names, separated by commas: a node by id or name, a label of nodes and its value,
 * such as `rack=r12`, or in a storage zone a place in the facts: `site=1`, `rack=1/2` (a rack of a site),
 * `enclosure=e17`. Throws a {@link Refusal} for a part that names none.
 */
export async function lostNodes({ params: { zone }, caller }: Call, shell: Shell, text: string): Promise<Lost> {
  const rows = await nodeRows(shell, zone);
  const present = rows.map(({ body }) => body).filter(({ status }) => status !== 'dropped');
  const [nodes, hosts] = [new Map<string, Node>(), new Set<string>()];
  for (const part of text.split(',').map((one) => one.trim())) {
    const found = part.includes('=') ? await labelled(shell, zone, present, part) : [(await named(shell, zone, part, caller)).fqdn];
    if (found.length === 0) throw new Refusal('unknown-node', `no node or host of zone ${zone} has ${part}`);
    for (const host of found) hosts.add(host);
  }
  for (const node of present) if (hosts.has(node.fqdn)) nodes.set(node.id, node);
  return { nodes: [...nodes.values()], hosts };
}

async function named(shell: Shell, zone: string, name: string, caller: Call['caller']): Promise<Node> {
  const node = await foundNodeIn(shell, zone, name, caller);
  if (node.status === 'dropped') throw new Refusal('unknown-node', `no node of zone ${zone} is called ${name}`);
  return node;
}

/** The names of the hosts with a label, or at a place in the facts. */
async function labelled(shell: Shell, zone: string, nodes: readonly Node[], part: string): Promise<string[]> {
  const at = part.indexOf('=');
  const [name, value] = [part.slice(0, at), part.slice(at + 1)];
  const isLabelled = ({ labels }: Node): boolean => Object.entries(labels).some(([key, its]) => key === name && its === value);
  const placed = (await placesOf(shell, zone)).filter((place) => nameOf(place, name) === value);
  return [
    ...nodes.filter(isLabelled).map(({ fqdn }) => fqdn),
    ...placed.flatMap(({ enclosure }) => (enclosure?.hosts ?? []).map(({ h_fqdn }) => h_fqdn)),
  ];
}

/** The name of a place, as the graph of the zone has it. */
function nameOf({ site, rack, enclosure }: Place, kind: string): string | undefined {
  if (kind === 'site') return `${site.index}`;
  if (kind === 'rack') return rack && `${site.index}/${rack.index}`;
  return kind === 'enclosure' ? enclosure?.id : undefined;
}

/** The places in the facts of a storage cluster; none in any other zone. */
async function placesOf(shell: Shell, zone: string): Promise<Place[]> {
  const loaded = (await read(shell, clusterRef(zone)))?.loaded;
  const places: Place[] = [];
  if (!loaded) return places;
  for await (const row of rowsIn(shell, zone, loadRange('layout', loaded.load)))
    for (const { body } of trustedRows(layoutRef, [row])) if (body.page.of === 'sites') places.push(...body.page.places);
  return places;
}
