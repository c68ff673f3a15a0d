import { desiredRef } from '../../nodes/desired/desired.ts';
import { decideNews } from '../../nodes/desired/rows/moves.ts';
import { apply } from '../../runtime/apply.ts';
import type { Shell } from '../../runtime/shell.ts';
import { nobody, slotOf } from '../../zones/map/rows/slots.ts';
import { pinnedNow } from '../../zones/pins/pins.ts';
import { zoneNow } from '../../zones/reads/zones.ts';
import { type LoadedZone, servesAt } from '../../zones/rows/loaded.ts';
import type { Client } from '../client.ts';
import { ownerOf, type Placed, placedOf } from '../rows/status.ts';
import { metadataOf } from './reads.ts';

/**
 * Tells the node on whose list a client system is that its metadata has changed, unless that node has said so itself:
 * in its desired state, whose revision its next heartbeat is answered. The map is read after the commit, so that a node
 * to which it moves later reads the metadata as it is now. One that was down meanwhile, and has it back, never saw it
 * go: it is told as well, for when it is there again. So is the node that it is on until its turn elsewhere, where it
 * may stay after all. A hint, to look sooner: an agent asks for the revisions of all from time to time.
 */
export async function tellNode(shell: Shell, client: Client, said?: string): Promise<void> {
  if (client.standing !== 'accepted') return;
  const { fp } = client;
  const { revision } = metadataOf(client)!;
  const zone = await zoneNow(shell, client.zone);
  if (!zone) return;
  for (const index of hosts(zone, placedOf(client))) {
    const member = zone.members[index];
    if (!member || member.node === said) continue;
    const news = { id: shell.newId(), fp, revision };
    await apply(shell, desiredRef(member.node), news, decideNews);
  }
}

/**
 * Who has it now, to whom it goes back, by the map or by its pin, and who was told last to have it and serves it still.
 */
function hosts(zone: LoadedZone, who: Placed): ReadonlySet<number> {
  const home = who.pin === nobody ? zone.map.home[slotOf(who.fp, zone.head.slots)]! : pinnedNow(zone.pins, who.pin);
  const on = who.told && servesAt(zone, who.told.index, who.told.generation) ? who.told.index : nobody;
  return new Set([ownerOf(zone, who), home, on].filter((index) => index !== nobody));
}
