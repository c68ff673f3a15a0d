import { Refusal } from '../../api/problem.ts';
import { clientList, clientPartitions, listedIn, metadataRevisions, pinnedIn, pinnedTo, revisionIn } from '../../ports/table/keys.ts';
import type { IndexQuery } from '../../ports/table/table.ts';
import { inParts } from '../../runtime/in-parts.ts';
import type { Shell } from '../../runtime/shell.ts';
import { slotOf, slotRange } from '../../zones/map/rows/slots.ts';
import { nowOf } from '../../zones/pins/pins.ts';
import type { LoadedZone } from '../../zones/rows/loaded.ts';
import { ownerOf } from '../rows/status.ts';

/**
 * The most client systems on the list of a node. A list is committed whole, 1,000 per row in at most 100 rows. It is
 * answered whole, at 67 B each and 6 for a metadata revision, within the 6 MB that a Lambda function may answer.
 */
export const systemsPerNodeMax = 84_000;

/**
 * How many partitions, or nodes that are away, are queried at once: 64 one after another would be slow, and all of them
 * a burst on behalf of a single node.
 */
const atOnce = 8;

/** From this share of its slots on, a partition is read whole, because that takes fewer queries than its ranges. */
const wholeFrom = 1 / 4;
/**
 * A partition is also read whole if a node has more ranges per page than this: each range is a query, and a page may
 * have 300 KB.
 */
const rangesPerPage = 8;
const pageLimit = 1_000;

type Range = { readonly from: string; readonly to: string };

/**
 * The fingerprints, in order, of the accepted client systems whose slot the node owns, from the list index alone. That
 * takes 1 to 512 queries, whatever the map, and at most eight more for every 1,000 entries. Throws a {@link Refusal}
 * for more than {@link systemsPerNodeMax}.
 */
export async function ownedSystems(shell: Shell, zone: LoadedZone, index: number): Promise<string[]> {
  const listed = await ownedIn(shell, zone, index, theirList);
  const bySlot = listed.filter((sort) => isOf(zone, index, sort)).map((sort) => listedIn(sort).fp);
  const byPin = [...(await revisionsByPin(shell, zone, index)).keys()];
  const all = [...new Set([...bySlot, ...byPin])].sort();
  if (all.length > systemsPerNodeMax) throw tooMany();
  return all;
}

/**
 * Whether a client system on the list of the slots of a node belongs to that node. One that is pinned to another node
 * does not, unless that is away.
 */
function isOf(zone: LoadedZone, index: number, sort: string): boolean {
  const { fp, pin } = listedIn(sort);
  return pin === undefined || ownerOf(zone, { fp, pin: pin.index, soft: !pin.hard }) === index;
}

/**
 * The metadata revisions by fingerprint, of the client systems that have one. Reads the inverse index alone, with as
 * many queries, and no row of a client. An entry moves with each change, so a read may meet it twice, or not at all.
 */
export async function ownedRevisions(shell: Shell, zone: LoadedZone, index: number): Promise<ReadonlyMap<string, number>> {
  const revisions = new Map<string, number>();
  for (const entry of await ownedIn(shell, zone, index, theirRevisions)) {
    const { fp, revision } = revisionIn(entry);
    revisions.set(fp, Math.max(revision, revisions.get(fp) ?? 0));
  }
  for (const [fp, revision] of await revisionsByPin(shell, zone, index)) revisions.set(fp, revision);
  return revisions;
}

/**
 * The client systems that a node has by pins, with their metadata revisions: those pinned to it, and the softly pinned
 * ones of its slots whose nodes are away. The inverse index lists them by node: one query for each node that may have
 * pins.
 */
async function revisionsByPin(shell: Shell, zone: LoadedZone, index: number): Promise<ReadonlyMap<string, number>> {
  const revisions = new Map<string, number>();
  const nodes = [...zone.pins.values()].filter((one) => nowOf(one) === index || one.awayAt !== undefined);
  await inParts(nodes, atOnce, async ({ index: pin }) => {
    for (const entry of await entriesIn(shell, { index: 'inverse', pk: pinnedTo(zone.head.name, pin) }, undefined)) {
      const { fp, revision, soft } = pinnedIn(entry);
      if (ownerOf(zone, { fp, pin, soft }) === index) revisions.set(fp, Math.max(revision, revisions.get(fp) ?? 0));
    }
  });
  return revisions;
}

/** The index and partition of the entries of a zone's client systems, which begin with their fingerprints. */
type Where = { readonly index: 'list' | 'inverse'; readonly partition: (zone: string, partition: number) => string };
const theirList: Where = { index: 'list', partition: clientList.zone };
const theirRevisions: Where = { index: 'inverse', partition: metadataRevisions };

async function ownedIn(shell: Shell, zone: LoadedZone, index: number, where: Where): Promise<string[]> {
  const slots = zone.head.slots / clientPartitions;
  const all = Array.from({ length: clientPartitions }, (_, partition) => ({
    where,
    partition,
    ranges: rangesOf(zone, index, partition * slots, slots),
  }));
  const isScattered = all.some(({ ranges }) => ranges.length > rangesPerPage);
  const rangesMax = isScattered ? rangesPerPage * (await pagesOf(shell, zone, where)) : rangesPerPage;
  const fps: string[] = [];
  for (let first = 0; first < clientPartitions; first += atOnce) {
    const some = all.slice(first, first + atOnce);
    const found = await Promise.all(some.map((part) => inPartition(shell, zone, index, { ...part, rangesMax })));
    for (const part of found) for (const fp of part) fps.push(fp);
    if (fps.length > systemsPerNodeMax) throw tooMany();
  }
  return fps;
}

const tooMany = (): Refusal =>
  new Refusal('refused', `more than ${systemsPerNodeMax} client systems on one node: add nodes, or give this one less weight`);

/**
 * How many pages a partition has, with a fraction. Fingerprints are hashes: all partitions have about as many entries,
 * so the first represents all.
 */
async function pagesOf(shell: Shell, { head: { name, slots } }: LoadedZone, { index, partition }: Where): Promise<number> {
  const { items, next } = await shell.table.queryIndex({ index, pk: partition(name, 0), limit: pageLimit });
  const last = items.at(-1);
  return next && last ? slots / clientPartitions / (slotOf(last.sk, slots) + 1) : 1;
}

/** One partition, the slots of it that the node owns, and the number of ranges above which it is read whole. */
type In = { readonly where: Where; readonly partition: number; readonly ranges: readonly Owned[]; readonly rangesMax: number };

async function inPartition(shell: Shell, zone: LoadedZone, index: number, { where, partition, ranges, rangesMax }: In): Promise<string[]> {
  const slots = zone.head.slots / clientPartitions;
  const owned = ranges.reduce((sum, { count }) => sum + count, 0);
  const place = { index: where.index, pk: where.partition(zone.head.name, partition) };
  if (owned > slots * wholeFrom || ranges.length > rangesMax) {
    const all = await entriesIn(shell, place, undefined);
    return owned === slots ? all : all.filter((fp) => zone.map.owner[slotOf(fp, zone.head.slots)] === index);
  }
  const fps: string[] = [];
  for (const { range } of ranges) fps.push(...(await entriesIn(shell, place, range)));
  return fps;
}

type Owned = { readonly range: Range; readonly count: number };

/**
 * The slots of the node among `slots` from `first` on, as ranges of fingerprints with neighbours joined, each with its
 * count of slots.
 */
function rangesOf({ map, head }: LoadedZone, index: number, first: number, slots: number): Owned[] {
  const ranges: Owned[] = [];
  for (let slot = first; slot < first + slots; slot++) {
    if (map.owner[slot] !== index) continue;
    const begin = slot;
    while (slot + 1 < first + slots && map.owner[slot + 1] === index) slot++;
    const range = { from: slotRange(begin, head.slots).from, to: slotRange(slot, head.slots).to };
    ranges.push({ range, count: slot - begin + 1 });
  }
  return ranges;
}

async function entriesIn(shell: Shell, place: Pick<IndexQuery, 'index' | 'pk'>, range: Range | undefined): Promise<string[]> {
  const fps: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await shell.table.queryIndex({ ...place, ...range, limit: pageLimit, ...(after && { after }) });
    for (const entry of page.items) fps.push(entry.sk);
    if (!page.next) return fps;
    after = page.next;
  }
}
