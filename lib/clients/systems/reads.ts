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
 * The most client systems that a node is handed: a list is committed whole, 1,000 a row in 100 rows at the most, and
 * answered whole, at 67 B each and 6 for a metadata revision within the 6 MB that a Lambda function may answer.
 */
export const systemsPerNodeMax = 84_000;

/**
 * Partitions, and nodes that are away, asked at once: 64 one after another would be slow, and all of them a burst on a
 * single node's behalf.
 */
const atOnce = 8;

/** From this share of a partition's slots on it is read whole, because that is fewer questions than its ranges. */
const wholeFrom = 1 / 4;
/** So is one of which a node has more ranges a page than this: each is a question, and a page may have 300 KB. */
const rangesPerPage = 8;
const pageLimit = 1_000;

type Range = { readonly from: string; readonly to: string };

/**
 * Fingerprints in order of the accepted client systems whose slot the node owns, from the list index alone: 1 to 512
 * questions, whatever the map, and at the most eight more for every 1,000 entries. Throws a {@link Refusal} for more
 * than {@link systemsPerNodeMax}.
 */
export async function ownedSystems(shell: Shell, zone: LoadedZone, index: number): Promise<string[]> {
  const listed = await ownedIn(shell, zone, index, theirList);
  if (zone.pins.size === 0) return listed;
  const bySlot = listed.filter((sort) => isOf(zone, index, sort)).map((sort) => listedIn(sort).fp);
  const byPin = [...(await revisionsByPin(shell, zone, index)).keys()];
  const all = [...new Set([...bySlot, ...byPin])].sort();
  if (all.length > systemsPerNodeMax) throw tooMany();
  return all;
}

/** Whether one in a list of slots that a node owns is its own: who is pinned to another is not, unless that is away. */
function isOf(zone: LoadedZone, index: number, sort: string): boolean {
  const { fp, pin } = listedIn(sort);
  return pin === undefined || ownerOf(zone, { fp, pin: pin.index, soft: !pin.hard }) === index;
}

/**
 * The metadata revisions of those that have one, by fingerprint, from the inverse index alone: as many questions, and
 * no client's row. An entry moves with each change, so that one may be met twice, or not at all this time.
 */
export async function ownedRevisions(shell: Shell, zone: LoadedZone, index: number): Promise<ReadonlyMap<string, number>> {
  const revisions = new Map<string, number>();
  for (const entry of await ownedIn(shell, zone, index, theirRevisions)) {
    const { fp, revision } = revisionIn(entry);
    revisions.set(fp, Math.max(revision, revisions.get(fp) ?? 0));
  }
  if (zone.pins.size > 0) for (const [fp, revision] of await revisionsByPin(shell, zone, index)) revisions.set(fp, revision);
  return revisions;
}

/**
 * Who is a node's by a pin, with their metadata revisions: those that are pinned to it, and of nodes that are away the
 * soft ones of its slots. They stand by their node in the inverse index: one question for each node that somebody may
 * be pinned to.
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

/** Where entries of a zone's client systems stand that begin with their fingerprints. */
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
 * How many pages a partition has, with a fraction. Fingerprints are hashes: all have about as many entries, and the
 * first tells for all.
 */
async function pagesOf(shell: Shell, { head: { name, slots } }: LoadedZone, { index, partition }: Where): Promise<number> {
  const { items, next } = await shell.table.queryIndex({ index, pk: partition(name, 0), limit: pageLimit });
  const last = items.at(-1);
  return next && last ? slots / clientPartitions / (slotOf(last.sk, slots) + 1) : 1;
}

/** One partition, which slots of it are the node's, and of how many ranges it is rather read whole. */
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
 * The node's slots among so many from `first` on as ranges of fingerprints, neighbours joined, each with its count of
 * slots.
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
