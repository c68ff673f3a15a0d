import { type EpochMs, minuteMs, plusMs } from '../../core/time.ts';
import { journalParts, placeSince } from '../../journal/reads.ts';
import { clientList, clientPartitions, listedIn, zoneList } from '../../ports/table/keys.ts';
import { inParts } from '../../runtime/in-parts.ts';
import type { Shell } from '../../runtime/shell.ts';
import { wholeList } from '../../runtime/whole-list.ts';
import type { Place } from '../follow.ts';
import { endsOf } from './ends.ts';
import { type Taken, takeFirst } from './taken.ts';

/** Lists, and journals, that are read at once. */
const atOnce = 8;

/** Rows and indexes are read as they were a moment ago: what was published in so long before is read again. */
const againMs = minuteMs;

/**
 * All client systems, from their rows: a read for each. Places in the journals are noted first, so that what was
 * committed shortly before and meanwhile is read again from there.
 */
export async function fleetFromRows(shell: Shell, asOf: EpochMs): Promise<Taken> {
  const taken: Taken = { parts: new Map(), places: await placesBefore(shell, plusMs(asOf, -againMs)), asOf };
  const zones = (await wholeList(shell, zoneList)).map(({ sk }) => sk);
  const lists = Array.from({ length: clientPartitions }, (_, partition) => [
    ...zones.map((zone) => clientList.zone(zone, partition)),
    clientList.pool(partition),
    clientList.banned(partition),
  ]).flat();
  await inParts(lists, atOnce, async (pk) => {
    const fps = (await wholeList(shell, pk)).map(({ sk }) => listedIn(sk).fp);
    if (fps.length > 0) await takeFirst(shell, taken.parts, fps);
  });
  return taken;
}

/** The place of each journal before the first row that was published since a moment. */
async function placesBefore(shell: Shell, since: EpochMs): Promise<Map<string, Place>> {
  const ends = await endsOf(shell, await journalParts(shell), 'lately');
  const places = await inParts([...ends], atOnce, async ([part, end]) => {
    const { n } = await placeSince(shell, part, end, since);
    return [part, { n, at: end.at }] as const;
  });
  return new Map(places);
}
