import { clamp, type EpochMs, plusMs } from '../../core/time.ts';
import { nowOf, type PinnedNode, queueEndOf } from './pins.ts';

type Queue = NonNullable<PinnedNode['queue']>;

/** The rates of a zone after they have changed, in ms, and until when client systems wait there by their slots. */
export type PinRates = {
  readonly everyMsOf: (index: number) => number;
  readonly elsewhereMs: number;
  readonly slotsEndAt: (index: number) => EpochMs;
  readonly slotsEnd: EpochMs;
};

/**
 * The queues of pinned client systems go on at new rates. Turns that came stay where they are; the others follow from
 * now on, behind those that they waited for. Those that go elsewhere are in one line, the earliest first.
 */
export function repaced(nodes: readonly PinnedNode[], rates: PinRates, now: EpochMs): readonly PinnedNode[] {
  const elsewhere = queuesElsewhere(nodes, rates, now);
  return nodes.map((one) => {
    const { queue, left, awayAt } = one;
    const own = awayAt === undefined && queue ? at(queue, rates.everyMsOf(nowOf(one)), rates.slotsEndAt(nowOf(one)), now) : undefined;
    const next = own ?? (queue && awayAt !== undefined ? elsewhere.get(nameOf(queue)) : queue);
    const nextLeft = left && elsewhere.get(nameOf(left));
    const isSame = next === queue && nextLeft === left;
    return isSame ? one : { ...one, ...(next && { queue: next }), ...(nextLeft && { left: nextLeft }) };
  });
}

/** The same line of unpinned client systems is set at each node that they leave. */
const nameOf = ({ at, clients, everyMs }: Queue): string => `${at} ${clients} ${everyMs}`;

function queuesElsewhere(nodes: readonly PinnedNode[], { elsewhereMs, slotsEnd }: PinRates, now: EpochMs): ReadonlyMap<string, Queue> {
  const all = nodes.flatMap(({ queue, left, awayAt }) => [...(queue && awayAt !== undefined ? [queue] : []), ...(left ? [left] : [])]);
  const distinct = new Map(all.map((queue) => [nameOf(queue), queue]));
  const next = new Map<string, Queue>();
  let end = slotsEnd;
  for (const [name, queue] of [...distinct].sort(([, a], [, b]) => a.at - b.at)) {
    const after = at(queue, elsewhereMs, end, now);
    next.set(name, after);
    if (queueEndOf(after) > end) end = queueEndOf(after);
  }
  return next;
}

/** A queue at another rate, behind those that end `behind` if it has not begun. One that is over stays as it is. */
function at(queue: Queue, everyMs: number, behind: EpochMs, now: EpochMs): Queue {
  const begins = behind > now ? behind : now;
  if (everyMs === 0 || queueEndOf(queue) <= now) return queue;
  if (queue.at > now) return begins === queue.at && everyMs === queue.everyMs ? queue : { ...queue, everyMs, at: begins };
  if (everyMs === queue.everyMs) return queue;
  const came = clamp(Math.floor((now - queue.at) / queue.everyMs) + 1, 0, queue.clients);
  return { ...queue, everyMs, at: plusMs(now, Math.round((1 - came) * everyMs)) };
}
