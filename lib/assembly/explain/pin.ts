import type { ClientIn } from '../../clients/client.ts';
import { goesBySlot, pinnedOf } from '../../clients/rows/status.ts';
import { nodeRef } from '../../nodes/node.ts';
import { read } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { standingAt } from '../../zones/map/rows/roster.ts';
import { standingOf, standingText } from '../../zones/map/rows/standing.ts';
import { pinnedNow } from '../../zones/pins/pins.ts';
import type { LoadedZone } from '../../zones/rows/loaded.ts';
import type { Explanation } from './routes.ts';

/**
 * The node to which a client system is pinned, its standing and since when, and the consequence. One read; nothing for
 * a client system that is not pinned.
 */
export async function explainPin(shell: Shell, client: ClientIn<'accepted'>, zone: LoadedZone): Promise<Explanation['also']> {
  const { pin } = client;
  if (!pin) return [];
  const index = pinnedNow(zone.pins, pin.index);
  const member = zone.members[index];
  const node = member && (await read(shell, nodeRef(member.node)));
  const since = node?.status === 'down' ? node.downAt : node?.status === 'dropped' ? node.droppedAt : undefined;
  const standing = `${standingText(standingOf(standingAt(zone.head.roster, index)))}${since === undefined ? '' : ` since ${new Date(since).toISOString()}`}`;
  const consequence = pin.hard
    ? 'it waits for that node and no other'
    : goesBySlot(zone, pinnedOf(client))
      ? 'it goes by its slot until that node is back'
      : 'it is elsewhere only while that node is away';
  return [{ subject: 'its pin', because: `pinned to ${member?.fqdn ?? 'a node that is gone'}, which is ${standing}: ${consequence}` }];
}
