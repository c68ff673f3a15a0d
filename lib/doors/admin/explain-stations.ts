import type { Explanation } from '../../api/views.ts';
import type { Node } from '../../nodes/node.ts';
import type { Shell } from '../../runtime/shell.ts';
import { heldByStations, quorumOf, saidOf } from '../../stations/quorum.ts';
import type { LoadedZone } from '../../zones/loaded.ts';
import { stationsOf } from '../stations.ts';

/** What the stations of a zone have to say: whether a majority is heard, who acts on site, and what they have against giving up this node. */
export async function stationsSaid(shell: Shell, { head }: LoadedZone, node?: Node): Promise<Explanation['also']> {
  const stations = head.stations && (await stationsOf(shell, head.name));
  if (!stations) return [];
  const now = shell.now();
  const quorum = quorumOf(stations, now);
  const { coordinator } = stations;
  const acts = coordinator && quorum.isQuorate ? `${coordinator.host} coordinates, epoch ${coordinator.epoch}` : 'nobody coordinates';
  const held = node?.status === 'suspect' ? heldByStations(stations, node.index, now) : undefined;
  const waits = node?.status === 'waiting' && !quorum.isQuorate;
  return [
    {
      subject: `the stations of zone ${head.name}`,
      because: `${saidOf(quorum)}; ${acts}`,
      ...(coordinator && { at: new Date(coordinator.since).toISOString() }),
    },
    ...(held === undefined ? [] : [{ subject: 'rule 17', because: held }]),
    ...(waits ? [{ subject: 'it waits', because: 'a host is taken in for the first time by a majority of the stations' }] : []),
  ];
}
