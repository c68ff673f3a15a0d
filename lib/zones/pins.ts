import * as z from 'zod';
import { EpochMs, plusMs } from '../units.ts';
import { slotsMin } from './slots.ts';
import { gone, standings } from './standing.ts';
import { fractionOf } from './turn.ts';

/** Turns of pinned client systems: from `at` on one each `everyMs`, `clients` of them. */
const Queue = z.strictObject({ at: EpochMs, clients: z.int().positive(), everyMs: z.number().positive() });
type Queue = z.infer<typeof Queue>;

/** The client systems that are pinned to one node, by its index. */
export const PinnedNode = z.strictObject({
  index: z.int().nonnegative(),
  /** The index that the node has now, if it has joined anew: whoever is pinned to it goes with it. */
  to: z.int().nonnegative().optional(),
  /** How many wait for this node and no other, and how many go by their slots while it is away. */
  hard: z.int().nonnegative(),
  soft: z.int().nonnegative(),
  /** Since when the soft ones go by their slots; absent while the node has them. */
  awayAt: EpochMs.optional(),
  /** When the node had them again that a count has among its slots; kept for as long as that count may be in use, and longer. */
  backAt: EpochMs.optional(),
  /** Those that must be admitted: to this node, or while it is away the soft ones to the nodes of their slots. */
  queue: Queue.optional(),
  /** Those that are pinned no more and were told this node, by its own index: they must be admitted to the nodes of their slots. */
  left: Queue.optional(),
});
export type PinnedNode = z.infer<typeof PinnedNode>;

/** Which nodes of a zone have client systems pinned to them, about 70 B each; written in one commit with those client systems' rows. */
export const Pins = z.strictObject({ version: z.int().nonnegative(), nodes: z.array(PinnedNode) });
export type Pins = z.infer<typeof Pins>;

/** Pins in memory, by index of the node. */
export type PinsByNode = ReadonlyMap<number, PinnedNode>;
/** Nobody is pinned. */
export const noPins = (): PinsByNode => new Map();

/** The row of a zone's pins. */
export const pinsRef = (zone: string) => ({ noun: 'pins', id: `${zone}/0` });

/** A row of pins in memory. */
export const loadPins = (pins: Pins | undefined): PinsByNode => new Map(pins?.nodes.map((one) => [one.index, one]));

/** When a client system that is pinned has its turn; undefined when it need not wait. By 16 bits of its fingerprint, whatever slots there are. */
export const pinTurnOf = (pins: PinsByNode, index: number, fp: string): EpochMs | undefined => turnIn(pins.get(index)?.queue, fp);

/** When a client system that was told the node with this index, and is pinned no more, has its turn elsewhere; undefined when it need not wait. */
export const leftTurnOf = (pins: PinsByNode, index: number, fp: string): EpochMs | undefined => turnIn(pins.get(index)?.left, fp);

const turnIn = (queue: Queue | undefined, fp: string): EpochMs | undefined =>
  queue && plusMs(queue.at, Math.floor(fractionOf(fp, slotsMin) * queue.clients) * queue.everyMs);

/** When the last one of a queue has its turn. */
export const queueEndOf = ({ at, clients, everyMs }: Queue): EpochMs => plusMs(at, Math.ceil(clients * everyMs));

/** The index that a node of pins has now. */
export const nowOf = ({ index, to }: PinnedNode): number => to ?? index;

/** The index now of the node that a client system is pinned to by this one. */
export const pinnedNow = (pins: PinsByNode, index: number): number => pins.get(index)?.to ?? index;

/** Those of a node, by its index now: how many client systems are pinned to it hard and soft. */
export const pinnedTo = (pins: PinsByNode, index: number): PinnedNode[] => [...pins.values()].filter((one) => nowOf(one) === index);

/** How many client systems a node has by one of its pins now, whatever slots it owns. */
export const hadBy = ({ hard, soft, awayAt }: PinnedNode): number => hard + (awayAt === undefined ? soft : 0);

/**
 * By how many client systems a count of slots is too low, because they go by their slots only since then; or too high, because a node has had
 * them back since.
 */
export const uncounted = (nodes: Iterable<PinnedNode>, countedAt: EpochMs): number => {
  const isBackSince = ({ backAt }: PinnedNode): boolean => backAt !== undefined && backAt > countedAt;
  let sum = 0;
  for (const one of nodes) {
    if (one.awayAt === undefined) sum -= isBackSince(one) ? one.soft : 0;
    else if (one.awayAt > countedAt && !isBackSince(one)) sum += one.soft;
  }
  return sum;
};

/** How many client systems are not counted by slots and need room in their zone: who waits hard for a node that is not there, by its index now, needs none. */
export const pinnedWithRoom = (pins: PinsByNode, isThere: (index: number) => boolean): number =>
  [...pins.values()].reduce((sum, one) => sum + hadBy(one) - (isThere(nowOf(one)) ? 0 : one.hard), 0);

/** Whether the soft ones of a node go by their slots, by how it stands: it is gone for longer than its clients are kept for it, or goes, or begins. */
export const goesAway = (standing: number, isKept: boolean): boolean =>
  (gone(standing) && !isKept) || standing === standings.draining || standing === standings.joining;

/** What pinning or letting go changes for one node. `coming`: how many of them must be admitted there; `leaving`: how many from there elsewhere. */
export type PinChange = {
  readonly index: number;
  readonly hard: number;
  readonly soft: number;
  readonly coming: number;
  readonly leaving: number;
};

/**
 * How a node of pins that nobody was pinned to before is, and how often it admits one, in ms; 0 for any number at once. `elsewhereMs`: how often
 * the nodes of its zone do, all of them together.
 */
export type PinHost = {
  readonly index: number;
  readonly awayAt: EpochMs | undefined;
  readonly everyMs: number;
  readonly elsewhereMs: number;
};

/** How often these nodes admit one, all of them together, in ms: as if each were as slow as the slowest. */
export const togetherMs = (everyMs: readonly number[]): number => (everyMs.length === 0 ? 0 : Math.max(...everyMs) / everyMs.length);

/**
 * The pins after a change. Who must be admitted joins the queue of the node: those who wait there and those who come have their turns from now
 * on, mixed by their fingerprints, one after the other still. So do those who leave it. A node that has no pins, and whom nobody leaves any more,
 * is left out.
 */
export function pinsChanged(
  before: Pins | undefined,
  changes: readonly PinChange[],
  hostOf: (index: number) => PinHost,
  now: EpochMs,
): Pins {
  const nodes = new Map((before?.nodes ?? []).map((one) => [one.index, one]));
  for (const change of changes) {
    const host = hostOf(change.index);
    const known = nodes.get(change.index) ?? {
      ...{ index: change.index, hard: 0, soft: 0 },
      ...(host.awayAt !== undefined && { awayAt: host.awayAt }),
    };
    nodes.set(change.index, nodeChanged(known, change, host, now));
  }
  const kept = [...nodes.values()].filter(({ hard, soft, left }) => hard + soft > 0 || waitingIn(left, now) > 0);
  return { version: (before?.version ?? 0) + 1, nodes: kept.sort((a, b) => a.index - b.index) };
}

function nodeChanged(known: PinnedNode, { hard, soft, coming, leaving }: PinChange, host: PinHost, now: EpochMs): PinnedNode {
  const { queue: wasComing, left: wasLeaving, ...rest } = known;
  const queue = coming > 0 && known.awayAt === undefined ? joined(wasComing, coming, host.everyMs, now) : wasComing;
  const left = leaving > 0 ? joined(wasLeaving, leaving, host.elsewhereMs, now) : wasLeaving;
  return {
    ...{ ...rest, hard: Math.max(0, known.hard + hard), soft: Math.max(0, known.soft + soft) },
    ...(queue && { queue }),
    ...(left && waitingIn(left, now) > 0 && { left }),
  };
}

/** A queue with more in it. */
function joined(before: Queue | undefined, coming: number, everyMs: number, now: EpochMs): Queue | undefined {
  return everyMs === 0 ? undefined : { at: now, clients: coming + waitingIn(before, now), everyMs };
}

/** How many of a queue have not had their turn. */
export const waitingIn = (queue: Queue | undefined, now: EpochMs): number =>
  queue ? Math.min(queue.clients, Math.max(0, Math.ceil((queueEndOf(queue) - now) / queue.everyMs))) : 0;
