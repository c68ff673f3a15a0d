import type { NodeId } from '../../../core/ids.ts';
import { desiredRef } from '../../../nodes/desired/desired.ts';
import { nodeRef } from '../../../nodes/node.ts';
import { stateOf } from '../../../runtime/content.ts';
import { read, readRows } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { zoneNow } from '../../../zones/reads/zones.ts';
import { seatRef } from '../../seat/seat.ts';
import { type ServerContent, serverContent } from '../nodes.ts';
import type { Revision } from '../revision.ts';

/** How many servers are read at a time. */
const readAtOnce = 50;

/** How the Uyuni servers of a zone are with a revision, by their names. */
export async function serversOf(shell: Shell, zone: string, revision: Pick<Revision, 'revision'>): Promise<ServerContent[]> {
  const [loaded, seat] = [await zoneNow(shell, zone), await read(shell, seatRef(zone))];
  const ids = [...new Set<NodeId>(loaded?.members.flatMap((member) => member?.node ?? []))];
  const found: ServerContent[] = [];
  for (let at = 0; at < ids.length; at += readAtOnce) {
    const some = ids.slice(at, at + readAtOnce);
    const nodes = await readRows(
      shell,
      some.map((id) => nodeRef(id)),
    );
    const desired = await readRows(
      shell,
      some.map((id) => desiredRef(id)),
    );
    const now = shell.now();
    for (const [n, row] of nodes.entries()) {
      const node = stateOf(row, now);
      const server = node?.zone === zone && serverContent(node, stateOf(desired[n], now)?.content, { ...revision, seat }, now);
      if (server) found.push(server);
    }
  }
  return found.sort((a, b) => (a.fqdn < b.fqdn ? -1 : 1));
}
