import { nodeRef } from '../../nodes/node.ts';
import { stateOf } from '../../runtime/content.ts';
import { readRows } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { standingAt } from '../map/rows/roster.ts';
import { standings } from '../map/rows/standing.ts';
import type { ZoneView } from '../routes.ts';
import type { LoadedZone } from '../rows/loaded.ts';

/**
 * The dropped nodes of a zone that have asked to come back and wait for an administrator; reads a row for each dropped
 * node.
 */
export async function askingBack(shell: Shell, { head, members }: LoadedZone): Promise<Pick<ZoneView, 'askingBack'>> {
  // A node that was given up, came back under another index and was given up again has two entries.
  const dropped = new Set(
    members.flatMap((member, index) => (member && standingAt(head.roster, index) === standings.dropped ? [member.node] : [])),
  );
  const rows = await readRows(
    shell,
    [...dropped].map((id) => nodeRef(id)),
  );
  const asking = rows.flatMap((row) => {
    const node = stateOf(row, shell.now());
    return node?.status === 'dropped' && node.readmission === 'asked' ? [{ node: node.id, fqdn: node.fqdn }] : [];
  });
  return asking.length > 0 ? { askingBack: asking } : {};
}
