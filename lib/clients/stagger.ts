import { type EpochMs, plusMs } from '../core/time.ts';
import { slotOf } from '../zones/map/rows/slots.ts';
import { admitsAt, type LoadedZone } from '../zones/rows/loaded.ts';
import { queuesOf } from '../zones/turns/turn.ts';

/**
 * When each of these clients, accepted together, may be assigned its node: one after another, at the rate of the node
 * that owns its slot. They queue behind the clients that already wait there, and behind as many as were accepted
 * `earlier` in the same bulk, which are assumed to be spread evenly. A client that may come at once is absent. Nothing
 * is counted, so bulks that overlap come at twice the rate.
 */
export function staggered(zone: LoadedZone, fps: readonly string[], earlier: number, now: EpochMs): Map<string, EpochMs> {
  const admitting = zone.members.filter((_, index) => admitsAt(zone, index)).length;
  const queues = queuesOf(zone.turns, zone.map.owner, now);
  const before = new Map<number, number>();
  const moments = new Map<string, EpochMs>();
  for (const fp of fps) {
    const owner = zone.map.owner[slotOf(fp, zone.head.slots)]!;
    const everyMs = zone.members[owner]?.admitEveryMs ?? 0;
    const place = before.get(owner) ?? Math.floor(earlier / Math.max(1, admitting));
    before.set(owner, place + 1);
    const at = plusMs(queues.get(owner)?.until ?? now, place * everyMs);
    if (everyMs > 0 && at > now) moments.set(fp, at);
  }
  return moments;
}
