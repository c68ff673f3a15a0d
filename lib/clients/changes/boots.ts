import type { Shell } from '../../runtime/shell.ts';
import type { Client } from '../client.ts';
import { bootConcernsNode } from '../on-boot.ts';
import { clientRow } from '../reads/rows.ts';
import type { Boot } from '../rows/boots.ts';
import { pinInZone } from './pins.ts';

/**
 * A boot of a daemon that knocks: if it shows that two machines run with its key, or that one alone does again, its row
 * and the pins of its node say so in one commit. Gives the client system as it is then. Nothing is read or written for
 * any other boot, which is noted with the knock.
 */
export async function heedBoot(shell: Shell, client: Client, boot: Boot): Promise<Client> {
  if (client.standing !== 'accepted' || !bootConcernsNode(client, boot)) return client;
  const { fp, zone } = client;
  const isMeant = (one: Client): boolean => one.standing === 'accepted' && one.zone === zone;
  await pinInZone(shell, { zone, fps: [fp], order: { type: 'boot', id: shell.newId(), boot }, isMeant });
  return (await clientRow(shell, fp))?.state ?? client;
}
