import type { AdminCaller } from '../../../access/verify-admin.ts';
import type { Fingerprint } from '../../../core/ids.ts';
import { type Node, nodeRef } from '../../../nodes/node.ts';
import { stateOf } from '../../../runtime/content.ts';
import { readRows } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import type { Client } from '../../client.ts';
import { seenSystems } from '../../reads/seen.ts';
import type { AddSystems, Member } from '../decide.ts';

/** A client system that cannot take part, and why. */
export type LeftOut = { readonly fp: Fingerprint; readonly because: string };
/** The client systems of a call that take part, those that cannot, and the nodes of the first. */
export type Chosen = { readonly members: readonly Member[]; readonly left: readonly LeftOut[]; readonly nodes: AddSystems['nodes'] };

/** The client systems that can take part: each is on a Uyuni server now, and was seen there. */
export async function chosenOf(shell: Shell, fps: readonly Fingerprint[], caller: AdminCaller): Promise<Chosen> {
  const { clients, unknown } = await seenSystems(shell, fps, caller);
  const ids = [...new Set(clients.flatMap((client) => placeOf(client)?.node ?? []))];
  const rows = await readRows(
    shell,
    ids.map((id) => nodeRef(id)),
  );
  const nodes = new Map(rows.flatMap((row) => stateOf(row, shell.now()) ?? []).map((node) => [node.id, node]));
  const members: Member[] = [];
  const left: LeftOut[] = unknown.map((fp) => ({ fp, because: 'this key never knocked, or its knock has expired' }));
  for (const client of clients) {
    const place = placeOf(client);
    const node = place && nodes.get(place.node);
    const because = whyNot(client, node);
    if (because === undefined && node) members.push({ fp: client.fp, node: node.id });
    else left.push({ fp: client.fp, because: because ?? nowhere });
  }
  return { members, left, nodes: [...nodes.values()].map(({ id: node, fqdn, zone }) => ({ node, fqdn, zone })) };
}

const nowhere = 'it is on no node now';

/** Where it is, once that was confirmed. */
const placeOf = (client: Client) => (client.standing === 'accepted' && client.told?.confirmedAt !== undefined ? client.told : undefined);

function whyNot(client: Client, node: Node | undefined): string | undefined {
  if (client.standing !== 'accepted') return client.standing === 'banned' ? 'banned, for ever' : 'not accepted yet';
  const place = placeOf(client);
  if (!place || !node || node.removedAt !== undefined || node.generation !== place.generation || node.zone !== client.zone) return nowhere;
  if (node.kind !== 'uyuni') return `its node ${node.fqdn} is of kind ${node.kind}: only Uyuni servers act on client systems`;
  return undefined;
}
