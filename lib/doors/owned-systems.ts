import { Refusal } from '../api/problem.ts';
import type { Shell } from '../runtime/shell.ts';
import { clientList, clientPartitions } from '../table/keys.ts';
import type { LoadedZone } from '../zones/loaded.ts';
import { slotOf, slotRange } from '../zones/slots.ts';

/**
 * The most client systems that a node is handed: a list is committed whole, 1,000 a row in 100 rows at the most, and answered whole, at
 * 67 B each within the 6 MB that a Lambda function may answer.
 */
export const systemsPerNodeMax = 90_000;

/** Partitions asked at once: 64 one after another would be slow, and all of them a burst on a single node's behalf. */
const atOnce = 8;

/** From this share of a partition's slots on it is read whole, because that is fewer questions than its ranges. */
const wholeFrom = 1 / 4;

type Range = { readonly from: string; readonly to: string };

/**
 * Fingerprints in order of the accepted client systems whose slot the node owns, from the list index alone: 1 to 256 questions, whatever
 * the map, and a page more for every 1,000 entries. Throws a {@link Refusal} for more than {@link systemsPerNodeMax}.
 */
export async function ownedSystems(shell: Shell, zone: LoadedZone, index: number): Promise<string[]> {
  const fps: string[] = [];
  for (let first = 0; first < clientPartitions; first += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, clientPartitions - first) }, (_, i) => first + i);
    const found = await Promise.all(some.map((partition) => inPartition(shell, zone, index, partition)));
    for (const part of found) for (const fp of part) fps.push(fp);
    if (fps.length > systemsPerNodeMax)
      throw new Refusal('refused', `more than ${systemsPerNodeMax} client systems on one node: add nodes, or give this one less weight`);
  }
  return fps;
}

async function inPartition(shell: Shell, zone: LoadedZone, index: number, partition: number): Promise<string[]> {
  const slots = zone.head.slots / clientPartitions;
  const ranges = rangesOf(zone, index, partition * slots, slots);
  const owned = ranges.reduce((sum, { count }) => sum + count, 0);
  const pk = clientList.zone(zone.head.name, partition);
  if (owned > slots * wholeFrom) {
    const all = await entriesIn(shell, pk, undefined);
    return owned === slots ? all : all.filter((fp) => zone.map.owner[slotOf(fp, zone.head.slots)] === index);
  }
  const fps: string[] = [];
  for (const { range } of ranges) fps.push(...(await entriesIn(shell, pk, range)));
  return fps;
}

/** The node's slots among so many from `first` on as ranges of fingerprints, neighbours joined, each with its count of slots. */
function rangesOf({ map, head }: LoadedZone, index: number, first: number, slots: number): { range: Range; count: number }[] {
  const ranges: { range: Range; count: number }[] = [];
  for (let slot = first; slot < first + slots; slot++) {
    if (map.owner[slot] !== index) continue;
    const begin = slot;
    while (slot + 1 < first + slots && map.owner[slot + 1] === index) slot++;
    const range = { from: slotRange(begin, head.slots).from, to: slotRange(slot, head.slots).to };
    ranges.push({ range, count: slot - begin + 1 });
  }
  return ranges;
}

async function entriesIn(shell: Shell, pk: string, range: Range | undefined): Promise<string[]> {
  const fps: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await shell.table.queryIndex({ index: 'list', pk, ...range, limit: 1000, ...(after && { after }) });
    for (const entry of page.items) fps.push(entry.sk);
    if (!page.next) return fps;
    after = page.next;
  }
}
