import { Refusal } from '../../api/problem.ts';
import { NodeId } from '../../ids.ts';
import type { Node } from '../../nodes/node.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Shell } from '../../runtime/shell.ts';
import { keyOf } from '../../table/keys.ts';
import type { Row } from '../../table/table.ts';
import type { LoadedZone } from '../../zones/loaded.ts';
import { zoneOf } from '../zones.ts';

/** A node's row by id or by fully qualified name. Throws a {@link Refusal} when there is none. */
export async function foundNode(shell: Shell, idOrName: string): Promise<{ node: Node; row: Row }> {
  const id = NodeId.safeParse(idOrName).success ? idOrName : await idOfName(shell, idOrName.toLowerCase());
  const row = id === undefined ? undefined : await shell.table.read(keyOf({ noun: 'node', id }));
  const node = stateOf<Node>(row, shell.now());
  if (!node) throw new Refusal('unknown-node', `no node is called ${idOrName}`);
  return { node, row: row! };
}

const idOfName = async (shell: Shell, fqdn: string): Promise<string | undefined> =>
  ((await shell.table.read(keyOf({ noun: 'fqdn', id: fqdn })))?.body as { node: string } | undefined)?.node;

/** A zone by name. Throws a {@link Refusal} when there is none. */
export async function foundZone(shell: Shell, name: string): Promise<LoadedZone> {
  const zone = await zoneOf(shell, name);
  if (!zone) throw new Refusal('unknown-zone', `no zone is called ${name}`);
  return zone;
}
