import * as z from 'zod';
import { refOf } from '../../core/ref.ts';
import { EpochMs, plusMs } from '../../core/time.ts';
import { slotsMin } from '../map/rows/slots.ts';
import { gone, standings } from '../map/rows/standing.ts';
import { fractionOf } from '../turns/turn.ts';

/** Turns of pinned client systems: `clients` of them, one each `everyMs`, from `at` on. */
const Queue = z.strictObject({ at: EpochMs, clients: z.int().positive(), everyMs: z.number().positive() });
type Queue = z.infer<typeof Queue>;

/** The client systems that are pinned to one node, by its index. */
export const PinnedNode = z.strictObject({
  index: z.int().nonnegative(),
  /** The index that the node has now, if it has joined anew: its pinned client systems go with it. */
  to: z.int().nonnegative().optional(),
  /** How many wait for this node and no other, and how many go by their slots while it is away. */
  hard: z.int().nonnegative(),
  soft: z.int().nonnegative(),
  /** Since when the soft ones go by their slots; absent while the node has them. */
  awayAt: EpochMs.optional(),
  /**
   * When the node got them back although a count still has them among the slots. It stays set for longer than that
   * count may be in use.
   */
  backAt: EpochMs.optional(),
  /** Those that must be admitted: to this node, or, while it is away, the soft ones to the nodes of their slots. */
  queue: Queue.optional(),
  /**
   * Client systems that were unpinned while they were assigned to this node, by its own index: each must be admitted to
   * the node of its slot. The queue covers all unpinned client systems of the zone, and is the same wherever it is set.
   */
  left: Queue.optional(),
});
export type PinnedNode = z.infer<typeof PinnedNode>;

/**
 * Which nodes of a zone have client systems pinned to them, about 70 B each; written in one commit with those client
 * systems' rows.
 */
export const Pins = z.strictObject({ version: z.int().nonnegative(), nodes: z.array(PinnedNode) });
export type Pins = z.infer<typeof Pins>;

/** Pins in memory, by index of the node. */
export type PinsByNode = ReadonlyMap<number, PinnedNode>;
/** No pins. */
export const noPins = (): PinsByNode => new Map();

/** The row of a zone's pins. */
export const pinsRef = refOf('pins', Pins, (zone: string) => `${zone}/0`);

/** A row of pins in memory. */
export const loadPins = (pins: Pins | undefined): PinsByNode => new Map(pins?.nodes.map((one) => [one.index, one]));

/**
 * When a pinned client system has its turn; undefined when it need not wait. Computed from 16 bits of its fingerprint,
 * however many slots the zone has.
 */
export const pinTurnOf = (pins: PinsByNode, index: number, fp: string): EpochMs | undefined => turnIn(pins.get(index)?.queue, fp);

/**
 * When a client system that was assigned to the node with this index, and was unpinned, has its turn elsewhere;
 * undefined when it need not wait.
 */
export const leftTurnOf = (pins: PinsByNode, index: number, fp: string): EpochMs | undefined => turnIn(pins.get(index)?.left, fp);

const turnIn = (queue: Queue | undefined, fp: string): EpochMs | undefined =>
  queue && plusMs(queue.at, Math.floor(fractionOf(fp, slotsMin) * queue.clients) * queue.everyMs);

/** When the last client system of a queue has its turn. */
export const queueEndOf = ({ at, clients, everyMs }: Queue): EpochMs => plusMs(at, Math.ceil(clients * everyMs));

/** The present index of a node with pins. */
export const nowOf = ({ index, to }: PinnedNode): number => to ?? index;

/** The present index of the node that this pin names. */
export const pinnedNow = (pins: PinsByNode, index: number): number => pins.get(index)?.to ?? index;

/** The pins of a node, by its present index: how many client systems are pinned to it hard and soft. */
export const pinnedTo = (pins: PinsByNode, index: number): PinnedNode[] => [...pins.values()].filter((one) => nowOf(one) === index);

/** How many client systems a node has now by one of its pins, whatever slots it owns. */
export const hadBy = ({ hard, soft, awayAt }: PinnedNode): number => hard + (awayAt === undefined ? soft : 0);

/**
 * The error of a count of slots, in client systems. Positive: some have gone by their slots only since the count.
 * Negative: a node has got some back since.
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

/**
 * How many client systems are not counted by slots and need room in their zone. Those that wait hard for an absent
 * node, by its present index, need none.
 */
export const pinnedWithRoom = (pins: PinsByNode, isThere: (index: number) => boolean): number =>
  [...pins.values()].reduce((sum, one) => sum + hadBy(one) - (isThere(nowOf(one)) ? 0 : one.hard), 0);

/**
 * Whether the soft ones of a node go by their slots, by its standing: it has been gone for longer than its clients are
 * retained, or drains, or joins.
 */
export const goesAway = (standing: number, isKept: boolean): boolean =>
  (gone(standing) && !isKept) || standing === standings.draining || standing === standings.joining;

/**
 * The change for one node when client systems are pinned or unpinned. `coming`: how many of them must be admitted
 * there; `leaving`: how many must be admitted elsewhere.
 */
export type PinChange = {
  readonly index: number;
  readonly hard: number;
  readonly soft: number;
  readonly coming: number;
  readonly leaving: number;
};

/**
 * How often a node with pins admits a client system, in ms, 0 for any number at once; and since when it is away, for a
 * node that had no pins before.
 */
export type PinHost = { readonly index: number; readonly awayAt: EpochMs | undefined; readonly everyMs: number };

/**
 * The facts of a zone that a change of its pins needs. `elsewhere`: how often its nodes together admit a client system,
 * in ms, and until when they admit those that wait by slots.
 */
export type PinZone = {
  readonly hostOf: (index: number) => PinHost;
  readonly elsewhere: { readonly everyMs: number; readonly busyUntil: EpochMs };
};

/** How often these nodes together admit a client system, in ms: as if each were as slow as the slowest. */
export const togetherMs = (everyMs: readonly number[]): number => (everyMs.length === 0 ? 0 : Math.max(...everyMs) / everyMs.length);

/**
 * Until when the nodes of slots admit client systems without a slot's turn: soft ones whose node is away, and unpinned
 * ones.
 */
export const elsewhereEnds = (nodes: Iterable<PinnedNode>): EpochMs[] =>
  [...nodes].flatMap(({ awayAt, queue, left }) =>
    [awayAt === undefined ? undefined : queue, left].flatMap((one) => (one ? [queueEndOf(one)] : [])),
  );

/**
 * The pins after a change. Client systems that must be admitted join the queue of the node: those that wait there and
 * the new ones get their turns from now on, mixed by fingerprint, still one after the other. A node without pins and
 * without an unpinned client system that waits is left out.
 */
export function pinsChanged(before: Pins | undefined, changes: readonly PinChange[], { hostOf, elsewhere }: PinZone, now: EpochMs): Pins {
  const nodes = new Map((before?.nodes ?? []).map((one) => [one.index, one]));
  for (const change of changes) {
    const { index } = change;
    const { awayAt, everyMs } = hostOf(index);
    const known = nodes.get(index) ?? { index, hard: 0, soft: 0, ...(awayAt !== undefined && { awayAt }) };
    nodes.set(index, nodeChanged(known, change, everyMs, now));
  }
  const left = leftAfter(before?.nodes ?? [], changes, elsewhere, now);
  const leaving = new Set(changes.flatMap((change) => (change.leaving > 0 ? [change.index] : [])));
  const kept = [...nodes.values()].map(({ left: was, ...one }): PinnedNode => {
    const isLeft = leaving.has(one.index) || waitingIn(was, now) > 0;
    return isLeft && left ? { ...one, left } : one;
  });
  const known = kept.filter((one) => one.hard + one.soft > 0 || one.left);
  return { version: (before?.version ?? 0) + 1, nodes: known.sort((a, b) => a.index - b.index) };
}

function nodeChanged(known: PinnedNode, { hard, soft, coming }: PinChange, everyMs: number, now: EpochMs): PinnedNode {
  const { queue: was, ...rest } = known;
  const queue = coming > 0 && known.awayAt === undefined ? joined(was, coming, everyMs, now) : was;
  return { ...rest, hard: Math.max(0, known.hard + hard), soft: Math.max(0, known.soft + soft), ...(queue && { queue }) };
}

/**
 * The queue of all unpinned client systems of the zone, whatever nodes they leave: the nodes admit them together. It
 * begins behind all others that wait. It keeps its beginning for as long as it lasts, so that a trickle of newcomers
 * cannot postpone it for ever.
 */
function leftAfter(
  nodes: readonly PinnedNode[],
  changes: readonly PinChange[],
  { everyMs, busyUntil }: PinZone['elsewhere'],
  now: EpochMs,
): Queue | undefined {
  const leaving = changes.reduce((sum, change) => sum + change.leaving, 0);
  const was = nodes.map(({ left }) => left).find((left) => waitingIn(left, now) > 0);
  if (leaving === 0 || everyMs === 0) return was;
  if (was) return { ...was, clients: was.clients + leaving };
  const at = [busyUntil, ...elsewhereEnds(nodes)].reduce((last, end) => (end > last ? end : last), now);
  return { at, clients: leaving, everyMs };
}

/** A queue with more client systems in it. */
function joined(before: Queue | undefined, coming: number, everyMs: number, now: EpochMs): Queue | undefined {
  return everyMs === 0 ? undefined : { at: now, clients: coming + waitingIn(before, now), everyMs };
}

/** How many client systems of a queue have not had their turn. */
export const waitingIn = (queue: Queue | undefined, now: EpochMs): number =>
  queue ? Math.min(queue.clients, Math.max(0, Math.ceil((queueEndOf(queue) - now) / queue.everyMs))) : 0;
