import type { AdminCaller } from '../../access/verify-admin.ts';
import { seesZone } from '../../access/zones-of-caller.ts';
import { Refusal } from '../../api/problem.ts';
import { NodeId, type ZoneName } from '../../core/ids.ts';
import { type Node, nodeRef } from '../../nodes/node.ts';
import { fqdnRef } from '../../nodes/rows/name.ts';
import type { Row } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRow, readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { LoadedZone } from '../rows/loaded.ts';
import { defaultZone } from '../zone.ts';
import { ensureDefaultZone, zoneOf } from './zones.ts';

/**
 * A node's row by id or by fully qualified name. Throws a {@link Refusal} when none exists or the caller may not see
 * it.
 */
export async function foundNode(shell: Shell, idOrName: string, caller: AdminCaller): Promise<{ node: Node; row: Row }> {
  const found = await nodeCalled(shell, idOrName);
  if (!found || !seesZone(caller, found.node.zone)) throw noNode(idOrName);
  return found;
}

const noNode = (idOrName: string): Refusal => new Refusal('unknown-node', `no node is called ${idOrName}`);

/**
 * The nodes of these fully qualified names, in their order: all are read together. Throws a {@link Refusal} for the
 * first that does not exist or that the caller may not see.
 */
export async function foundNodes(shell: Shell, fqdns: readonly string[], caller: AdminCaller): Promise<Node[]> {
  const names = await readRows(
    shell,
    fqdns.map((fqdn) => fqdnRef(fqdn)),
  );
  const ids = [...new Set(names.flatMap((row) => row?.body?.node ?? []))];
  const rows = await readRows(
    shell,
    ids.map((id) => nodeRef(id)),
  );
  const nodes = new Map(ids.map((id, n) => [id, stateOf(rows[n], shell.now())]));
  return fqdns.map((fqdn, n) => {
    const id = names[n]?.body?.node;
    const node = id === undefined ? undefined : nodes.get(id);
    if (!node || !seesZone(caller, node.zone)) throw noNode(fqdn);
    return node;
  });
}

/**
 * A node of this zone, as {@link foundNode} finds it. Throws a {@link Refusal} where the caller sees no such zone, or
 * where the zone has no such node.
 */
export async function foundNodeIn(shell: Shell, zone: string, idOrName: string, caller: AdminCaller): Promise<Node> {
  await foundZone(shell, zone, caller);
  const found = await nodeCalled(shell, idOrName);
  if (found?.node.zone === zone) return found.node;
  const isSeen = found && seesZone(caller, found.node.zone);
  throw new Refusal('unknown-node', `no node ${isSeen ? `of zone ${zone} ` : ''}is called ${idOrName}`);
}

async function nodeCalled(shell: Shell, idOrName: string): Promise<{ node: Node; row: Row } | undefined> {
  const id = NodeId.safeParse(idOrName).success ? idOrName : await idOfName(shell, idOrName.toLowerCase());
  const row = id === undefined ? undefined : await readRow(shell, nodeRef(id));
  const node = stateOf(row, shell.now());
  return node && { node, row: row! };
}

const idOfName = async (shell: Shell, fqdn: string): Promise<string | undefined> => (await readRow(shell, fqdnRef(fqdn)))?.body?.node;

/** A zone by name. Throws a {@link Refusal} when none exists or the caller may not see it. */
export async function foundZone(shell: Shell, name: string, caller: AdminCaller): Promise<LoadedZone> {
  const zone = seesZone(caller, name) ? await zoneOf(shell, name) : undefined;
  if (!zone) throw new Refusal('unknown-zone', `no zone is called ${name}`);
  return zone;
}

/**
 * The zone that a call names to put something into; `default` when it names none, created if need be. Throws a {@link
 * Refusal} as {@link foundZone} does.
 */
export async function givenZone(shell: Shell, given: ZoneName | undefined, caller: AdminCaller): Promise<ZoneName> {
  const zone = given ?? defaultZone;
  if (zone === defaultZone) await ensureSeenDefaultZone(shell, caller);
  await foundZone(shell, zone, caller);
  return zone;
}

/**
 * Creates the zone `default` when it does not exist and the caller may see it: a caller who is limited to other zones
 * creates nothing.
 */
export async function ensureSeenDefaultZone(shell: Shell, caller: AdminCaller): Promise<void> {
  if (seesZone(caller, defaultZone)) await ensureDefaultZone(shell);
}

/**
 * Throws a {@link Refusal} for a zone that does not exist or that the caller may not see. The zone `default` passes,
 * because its first use creates it.
 */
export async function refuseUnknown(shell: Shell, name: string, caller: AdminCaller): Promise<void> {
  if (name !== defaultZone || !seesZone(caller, name)) await foundZone(shell, name, caller);
}
