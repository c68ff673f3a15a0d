import type { Client } from '../clients/client.ts';
import { ownerOf, pinnedOf } from '../clients/status.ts';
import { decideNews } from '../desired/decide.ts';
import type { Desired } from '../desired/desired.ts';
import { apply } from '../runtime/apply.ts';
import type { Shell } from '../runtime/shell.ts';
import { nobody } from '../zones/slots.ts';
import { metadataOf } from './metadata.ts';
import { zoneNow } from './zones.ts';

/**
 * Tells the node on whose list a client system is that its metadata has changed, unless that node has said so itself: in its desired state,
 * whose revision its next heartbeat is answered. The map is read after the commit, so that a node to which it moves later reads the
 * metadata as it is now. A hint, to look sooner: an agent asks for the revisions of all from time to time.
 */
export async function tellNode(shell: Shell, client: Client, said?: string): Promise<void> {
  if (client.standing !== 'accepted') return;
  const { fp } = client;
  const { revision } = metadataOf(client)!;
  const zone = await zoneNow(shell, client.zone);
  const owner = zone && ownerOf(zone, pinnedOf(client));
  const member = owner === undefined || owner === nobody ? undefined : zone!.members[owner];
  if (!member || member.node === said) return;
  const news = { id: shell.newId(), fp, revision };
  await apply<Desired, typeof news>(shell, { noun: 'desired', id: member.node }, news, decideNews);
}
