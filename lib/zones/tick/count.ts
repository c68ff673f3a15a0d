import { type Decision, nothing, write } from '../../core/decision.ts';
import { type EpochMs, minuteMs, plusMs } from '../../core/time.ts';
import { zonesKnown } from '../../deployment/reads.ts';
import { clientList, clientPartitions, listedIn } from '../../ports/table/keys.ts';
import { apply } from '../../runtime/apply.ts';
import type { Shell } from '../../runtime/shell.ts';
import { slotOf } from '../map/rows/slots.ts';
import { countedSlots } from '../map/split.ts';
import { noPins, type PinsByNode } from '../pins/pins.ts';
import { zoneOf } from '../reads/zones.ts';
import { restsFor } from '../rest.ts';
import { type Counts, countAt, countsRef } from '../zone.ts';

/** Up to so many clients a zone is counted in one step; above, in steps of some partitions, each a second or two. */
const oneStepMax = 20_000;
const partitionsPerStep = 8;
/**
 * However many there are, they are counted this often while anyone looks after them: of a million, a count that is 17
 * minutes old is off by a few dozen.
 */
const longestMs = 20 * minuteMs;

/** The row has ended with its zone: it is due no more, or every sweep to come would look at it. */
const noZone = nothing('the zone is deleted');

/**
 * One step of counting a zone's accepted clients by slot, from the list index; the counts row remembers how far it has
 * come. Whether the count is whole now.
 */
export async function countZone(shell: Shell, zone: string): Promise<boolean> {
  const ref = countsRef(zone);
  const input = { type: 'tick' as const, id: `count-${shell.newId()}` };
  const seen = new Map<number, readonly string[]>();
  const loaded = await zoneOf(shell, zone);
  const slots = loaded?.head.slots;
  const { state: before } = await apply(shell, ref, input, (counts) => (counts ? nothing('looking', shell.now()) : noZone));
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
 * Adds the partitions just read; after the last one the count holds, and the next is due after `everyMs`, or `restsMs`
 * when nobody came or went, or a millisecond a client when that is longer. `slots`: how many a new count is for.
 */
export function countStep(
  counts: Counts | undefined,
  first: number,
  seen: ReadonlyMap<number, readonly string[]>,
  { now, everyMs, restsMs = everyMs, slots: counted = (counts?.perSlot.length ?? 0) / 2 }: Pace,
): Decision<Counts> {
  if (!counts) return noZone;
  // Still due: whoever counts on must find it so.
  if ((counts.running?.partition ?? 0) !== first) return nothing('another sweep counts', now);
  // A count that has begun ends as it began, also when the slots are split meanwhile.
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
  return write<Counts, never>({ at: now, perSlot }, 'counted', {
    wakeAt: plusMs(now, Math.max(restMs, Math.min(totalOf(perSlot), longestMs))),
  });
}

/** Those of a partition who go by their slots: whom a node has by a pin is counted with the pins. */
async function fingerprintsOf(shell: Shell, zone: string, partition: number, pins: PinsByNode): Promise<string[]> {
  const fps: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await shell.table.queryIndex({
      index: 'list',
      pk: clientList.zone(zone, partition),
      limit: 1000,
      ...(after && { after }),
    });
    for (const { sk } of page.items) {
      const { fp, pin } = listedIn(sk);
      if (pin === undefined || (!pin.hard && pins.get(pin.index)?.awayAt !== undefined)) fps.push(fp);
    }
    if (!page.next) return fps;
    after = page.next;
  }
}

/** All clients of a count. */
function totalOf(perSlot: Uint8Array): number {
  let total = 0;
  for (let slot = 0; slot < perSlot.length / 2; slot++) total += countAt(perSlot, slot);
  return total;
}
