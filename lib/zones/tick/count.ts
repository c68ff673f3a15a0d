import { type Decision, nothing, write } from '../../core/decision.ts';
import { type EpochMs, minuteMs, plusMs } from '../../core/time.ts';
import { zonesKnown } from '../../deployment/reads.ts';
import { clientList, clientPartitions, listedIn } from '../../ports/table/keys.ts';
import { apply } from '../../runtime/apply.ts';
import type { Shell } from '../../runtime/shell.ts';
import { wholeList } from '../../runtime/whole-list.ts';
import { slotOf } from '../map/rows/slots.ts';
import { countedSlots } from '../map/split.ts';
import { noPins, type PinsByNode } from '../pins/pins.ts';
import { zoneOf } from '../reads/zones.ts';
import { restsFor } from '../rest.ts';
import { type Counts, countAt, countsRef } from '../zone.ts';

/**
 * A zone with at most this many clients is counted in one step. A larger one is counted in steps of some partitions,
 * each a second or two.
 */
const oneStepMax = 20_000;
const partitionsPerStep = 8;
/**
 * The longest time between two counts, however many clients there are: with a million clients, a count that is 17
 * minutes old is off by a few dozen.
 */
const longestMs = 20 * minuteMs;

/** The row was removed with its zone. It must not be due, or every later sweep would read it. */
const noZone = nothing('the zone is deleted');

/**
 * Counts a zone's accepted clients by slot, one step at a time, from the list index; the counts row stores the
 * progress. Gives whether the count is complete.
 */
export async function countZone(shell: Shell, zone: string): Promise<boolean> {
  const ref = countsRef(zone);
  const input = { type: 'tick' as const, id: `count-${shell.newId()}` };
  const seen = new Map<number, readonly string[]>();
  const loaded = await zoneOf(shell, zone);
  const slots = loaded?.head.slots;
  const { state: before } = await apply(shell, ref, input, (counts) => (counts ? nothing('reading the count', shell.now()) : noZone));
  if (!before) return false;
  const first = before.running?.partition ?? 0;
  const step = totalOf(before.perSlot) > oneStepMax ? partitionsPerStep : clientPartitions;
  for (let partition = first; partition < Math.min(first + step, clientPartitions); partition++)
    seen.set(partition, await fingerprintsOf(shell, zone, partition, loaded?.pins ?? noPins()));
  const { decision } = await apply(shell, ref, { type: 'tick', id: `count-${shell.newId()}` }, (counts, _input, now) =>
    countStep(counts, first, seen, {
      now,
      everyMs: shell.settings.countEveryMs,
      restsMs: restsFor(shell.settings.countEveryMs, zonesKnown(shell)),
      ...(slots !== undefined && { slots: countedSlots(slots) }),
    }),
  );
  return decision.does === 'write' && decision.next.running === undefined;
}

type Pace = { readonly now: EpochMs; readonly everyMs: number; readonly restsMs?: number; readonly slots?: number };

/**
 * Adds the partitions just read. After the last one the count is complete, and the next is due after `everyMs`, or
 * after `restsMs` when the count did not change, or after a millisecond per client when that is longer. `slots`: the
 * number of slots of a new count.
 */
export function countStep(
  counts: Counts | undefined,
  first: number,
  seen: ReadonlyMap<number, readonly string[]>,
  { now, everyMs, restsMs = everyMs, slots: counted = (counts?.perSlot.length ?? 0) / 2 }: Pace,
): Decision<Counts> {
  if (!counts) return noZone;
  // Still due, so that the sweep that counts continues.
  if ((counts.running?.partition ?? 0) !== first) return nothing('another sweep is counting', now);
  // A count keeps its number of slots, even when the slots are split meanwhile.
  const perSlot = counts.running ? new Uint8Array(counts.running.perSlot) : new Uint8Array(counted * 2);
  const slots = perSlot.length / 2;
  const view = new DataView(perSlot.buffer);
  for (const fps of seen.values())
    for (const fp of fps) view.setUint16(slotOf(fp, slots) * 2, Math.min(0xffff, view.getUint16(slotOf(fp, slots) * 2) + 1));
  const partition = first + seen.size;
  if (partition < clientPartitions)
    return write<Counts, never>({ ...counts, running: { partition, perSlot } }, `counted ${partition} of ${clientPartitions} partitions`, {
      wakeAt: now,
    });
  const restMs = Buffer.compare(perSlot, counts.perSlot) === 0 ? restsMs : everyMs;
  return write<Counts, never>({ at: now, perSlot }, 'client systems counted', {
    wakeAt: plusMs(now, Math.max(restMs, Math.min(totalOf(perSlot), longestMs))),
  });
}

/**
 * The fingerprints of a partition that go by their slots. Client systems that a node has by a pin are counted with the
 * pins.
 */
async function fingerprintsOf(shell: Shell, zone: string, partition: number, pins: PinsByNode): Promise<string[]> {
  const listed = (await wholeList(shell, clientList.zone(zone, partition))).map(({ sk }) => listedIn(sk));
  return listed.filter(({ pin }) => pin === undefined || (!pin.hard && pins.get(pin.index)?.awayAt !== undefined)).map(({ fp }) => fp);
}

/** The total of a count. */
function totalOf(perSlot: Uint8Array): number {
  let total = 0;
  for (let slot = 0; slot < perSlot.length / 2; slot++) total += countAt(perSlot, slot);
  return total;
}
