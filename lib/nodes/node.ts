import * as z from 'zod';
import type { Published } from '../../events/catalogue.ts';
import { reportId } from '../../events/define.ts';
import { Boot, Load } from '../../events/reported/node.ts';
import { Fqdn, NodeId, PublicKey, Tag, WatchAddress, ZoneName } from '../core/ids.ts';
import { refOf } from '../core/ref.ts';
import { EpochMs, minuteMs } from '../core/time.ts';
import { Flap } from './rows/flap.ts';
import { Miss, missesMax } from './rows/miss.ts';

/**
 * How long a node may be down before it is given up, in production mode: a reboot with a file system check fits, a dead
 * host does not.
 */
export const dropAfterMs = 30 * minuteMs;
/** How long a drain waits for the word that its clients were told, before it ends without. */
export const releaseWaitMs = 30 * minuteMs;

/** What a node's host runs. */
export const NodeKind = z.enum(['uyuni', 'salt', 'storage']);
export type NodeKind = z.infer<typeof NodeKind>;

/**
 * How often a node admits a client that was moved to it, in ms; 0 is any number at once. `usualMs` is what a Uyuni or
 * Salt node can bear.
 */
export const admitEveryMsOf = ({ admitEveryMs, kind }: Pick<Node, 'admitEveryMs' | 'kind'>, usualMs: number): number =>
  admitEveryMs ?? (kind === 'storage' ? 0 : usualMs);

/** The end of a hash or an id: enough to tell it from the one before, in a row that must stay below 1 KB. */
export const markOf = (text: string): string => text.slice(-6);

/** How a node leaves on purpose: its clients move away, or are kept for it until the deadline. */
export const LeaveMode = z.enum(['drain', 'hold']);

/** What every node has, whatever its state. */
const every = {
  id: NodeId,
  fqdn: Fqdn,
  kind: NodeKind,
  zone: ZoneName,
  publicKey: PublicKey,
  /** The key that it has named to sign with from now on; the first call that is signed by it makes it the key. */
  nextKey: PublicKey.optional(),
  watch: WatchAddress,
  /** A node of weight 2 takes twice the client systems of a node of weight 1. */
  weight: z.number().positive(),
  /** The most client systems it should have; absent is unlimited. */
  capacity: z.int().positive().optional(),
  /**
   * How often it admits a client that was moved to it, in ms; 0 is any number at once; absent is what its kind can
   * bear.
   */
  admitEveryMs: z.int().nonnegative().optional(),
  labels: z.record(z.string(), Tag),
  joinedAt: EpochMs,
  /** Grows by one for each acknowledged new boot of the agent; fences reports. */
  incarnation: z.int().nonnegative(),
  /** Grows by one only when the node joins as new, flushed; fences memberships. */
  generation: z.int().nonnegative(),
  /** Its place in the zone's roster, never used again for another; given by the zone's plan. */
  index: z.int().nonnegative().optional(),
  /**
   * The acknowledged boot, and the one before it, by which a clone is told (A, B, A). `again`: it was there before that
   * one already, which was never heard.
   */
  boot: Boot.extend({ receivedAt: EpochMs, before: z.string().optional(), again: z.literal(true).optional() }).optional(),
  /**
   * An administrator has said that another system vouches for its liveness: that system's word counts, and its
   * agent's does not.
   */
  vouched: z.literal(true).optional(),
  /**
   * Since when an administrator has it so, or no more: what was said before that is not said of now. `ups` are counts
   * of the two systems that vouched last: a mark of who that is, and the highest number of a node-up that was decided
   * on. They outlast the word of the administrator, because what was sent before it may be sent again after it.
   */
  voice: z
    .strictObject({ since: EpochMs.optional(), ups: z.array(z.strictObject({ of: z.string(), seq: z.int().nonnegative() })).max(2) })
    .optional(),
  /** The last heartbeat's number within the incarnation. */
  seq: z.int().nonnegative(),
  heardAt: EpochMs.optional(),
  load: Load.optional(),
  /**
   * What runs on the host of a storage node as Muster has it, by marks: of the table that was last taken in, of the
   * load of the cluster whose processes were looked for in it, and of the last heartbeat where it is another. `taken`
   * is the number of that table among the agent's words of this boot: an older or repeated one is not taken in again.
   * `anew`: the kernel has started since, or the node has given up all it had.
   */
  table: z
    .strictObject({
      hash: z.string().optional(),
      load: z.string().optional(),
      now: z.string().optional(),
      taken: z.int().nonnegative().optional(),
      anew: z.literal(true).optional(),
    })
    .optional(),
  /** Services were started there once: what it is told and what it says runs there is about them, too. */
  services: z.literal(true).optional(),
  /**
   * The last word about leaving or staying, and the last report that said to leave: an older or repeated one is heard
   * no more.
   */
  word: z.strictObject({ at: EpochMs, report: reportId.optional() }).optional(),
  /**
   * It has not said that it is ready since it joined as new; it stays joining until it does, whatever happens
   * meanwhile.
   */
  unready: z.literal(true).optional(),
  /** How often it was lost and came back of late. */
  flap: Flap.optional(),
  /**
   * Since when an operator wants it no more: it is answered so, and stays out until it is admitted again or joins by a
   * newer token.
   */
  removedAt: EpochMs.optional(),
  /**
   * Which node takes its place, since when an operator wants so, and whether it was taken out on purpose; it stays said
   * once it is done.
   */
  replacedBy: z.strictObject({ node: NodeId, at: EpochMs, planned: z.boolean() }).optional(),
  /** Whose index and home it takes over once it is ready. */
  replaces: NodeId.optional(),
  /** Something happened that the zone's roster must follow; the row stays due until the zone's plan has. */
  awaitsPlan: z.literal(true).optional(),
};

const ordered = z.literal('drop').optional();
/** Why a node takes no new clients until an operator has looked. */
const reason = z.enum(['clone', 'flapping', 'operator']);
/** `missed`: which of its clients do not reach it, since it was last heard. */
const leased = { ...every, leaseUntil: EpochMs, ordered, missed: z.array(Miss).max(missesMax).optional() };
/**
 * `orderVersion` is the map version that moved its slots away, `releasedVersion` the one its release hook has carried
 * out.
 */
const leaving = {
  mode: LeaveMode,
  since: EpochMs,
  until: EpochMs.optional(),
  orderVersion: z.int().nonnegative().optional(),
  /** When slots last moved away: a budget may spread a drain over hours. */
  movedAt: EpochMs.optional(),
  releasedVersion: z.int().nonnegative().optional(),
  /**
   * Until when, at the longest, clients of a drained node wait for their turn elsewhere: its own ticks come sooner, and
   * know of no turns.
   */
  turnsUntil: EpochMs.optional(),
};

/**
 * A node's row: a union by status, with only the fields that status has. At most 1 KB, so that a heartbeat is one unit.
 */
export const Node = z.discriminatedUnion('status', [
  z.strictObject({ ...every, status: z.literal('absent') }),
  z.strictObject({ ...every, status: z.literal('waiting') }),
  z.strictObject({ ...leased, status: z.literal('joining') }),
  z.strictObject({ ...leased, status: z.literal('up') }),
  z.strictObject({
    ...leased,
    status: z.literal('suspect'),
    was: z.enum(['joining', 'up', 'leaving', 'quarantined']),
    leaving: z.strictObject(leaving).optional(),
    /** Of a quarantined one; silence lifts no quarantine. */
    reason: reason.optional(),
  }),
  z.strictObject({
    ...every,
    status: z.literal('down'),
    downAt: EpochMs,
    returning: z.strictObject({ leaseUntil: EpochMs }).optional(),
    /** It was quarantined, and will be again. */
    reason: reason.optional(),
    ordered,
  }),
  z.strictObject({ ...leased, status: z.literal('leaving'), leaving: z.strictObject(leaving) }),
  z.strictObject({
    ...every,
    status: z.literal('dropped'),
    droppedAt: EpochMs,
    planned: z.boolean(),
    /**
     * In a zone that readmits nobody by itself: whether an administrator has said that it may come back, and whether it
     * has asked.
     */
    readmission: z.enum(['awaited', 'asked', 'given']).optional(),
  }),
  z.strictObject({ ...leased, status: z.literal('quarantined'), reason }),
]);
export type Node = z.infer<typeof Node>;
export type NodeStatus = Node['status'];
/** A node in one status. */
export type NodeIn<S extends NodeStatus> = Extract<Node, { status: S }>;

/**
 * Every move a node can make, by who writes it: `nodes/decide` from what is reported, `zones/plan` what the whole zone
 * must agree to. The diagram in docs/ and the property tests are read from this table.
 */
export const moves = {
  decide: {
    absent: ['waiting', 'joining'],
    waiting: ['joining'],
    joining: ['up', 'suspect', 'quarantined'],
    up: ['suspect', 'leaving', 'quarantined'],
    suspect: ['joining', 'up', 'leaving', 'quarantined'],
    leaving: ['up', 'suspect', 'quarantined'],
    down: [],
    dropped: ['joining'],
    quarantined: ['joining', 'up', 'suspect'],
  },
  plan: {
    absent: [],
    waiting: [],
    joining: ['dropped'],
    up: ['dropped'],
    suspect: ['down', 'dropped'],
    leaving: ['down', 'dropped'],
    down: ['joining', 'up', 'quarantined', 'dropped'],
    dropped: [],
    quarantined: ['dropped'],
  },
} as const satisfies Record<'decide' | 'plan', Record<NodeStatus, readonly NodeStatus[]>>;

/** Whether Muster has something run there: it is of a storage cluster, or services were started there. */
export const isDriven = ({ kind, services }: Pick<Node, 'kind' | 'services'>): boolean => kind === 'storage' || services === true;

/**
 * Whether a node has been up, and has no boot since another is to speak of its life: that one begins with a node-up.
 */
export const awaitsUp = ({ boot, incarnation }: Pick<Node, 'boot' | 'incarnation'>): boolean => !boot && incarnation > 0;

/** What stays of a node whatever its status becomes. */
export type Lasting = Omit<NodeIn<'absent'>, 'status' | 'awaitsPlan'>;
/** The fields that only some statuses have, and `awaitsPlan`, which is set anew by whoever writes. */
type OfStatus = Exclude<Node extends infer N ? (N extends unknown ? keyof N : never) : never, keyof Lasting>;

/**
 * What stays of a node whatever its status becomes: the fields of its status are taken away, so that a new field of
 * every node stays by itself. One of a status that is not named here does not compile.
 */
export function lasting(node: Node): Lasting {
  const known: Lasting & { readonly [K in OfStatus]?: unknown } = node;
  const { status, awaitsPlan, leaseUntil, ordered, missed, was, leaving, reason, ...others } = known;
  const { downAt, returning, droppedAt, planned, readmission, ...rest } = others;
  const stays: Lasting & { readonly [K in OfStatus]?: never } = rest;
  return stays;
}

/** What the zone's plan has still to see, an operator's order included; no report may take it away. */
export const pending = (node: Node): { ordered?: 'drop'; awaitsPlan?: true } => ({
  ...('ordered' in node && node.ordered && { ordered: node.ordered }),
  ...(node.awaitsPlan && { awaitsPlan: true }),
});

/** What a suspect is again once it is heard: what it was. `base` is what was heard of it. */
export function resumed(node: NodeIn<'suspect'>, base: ReturnType<typeof lasting> & { leaseUntil: EpochMs }): Node {
  const next = { ...base, ...pending(node), awaitsPlan: true as const };
  if (node.was === 'leaving' && node.leaving) return { ...next, status: 'leaving', leaving: node.leaving };
  if (node.was === 'quarantined') return { ...next, status: 'quarantined', reason: node.reason ?? 'operator' };
  return { ...next, status: node.was === 'joining' ? 'joining' : 'up' };
}

type NodeEvent = Extract<Published, { type: `node.${string}` }>;
type Type = NodeEvent['type'];
/** What an event about a node says beyond which node, incarnation and generation it is about. */
type Extra<T extends Type> = Omit<Extract<NodeEvent, { type: T }>['data'], 'node' | 'fqdn' | 'zone' | 'incarnation' | 'generation'>;

/** An event about a node, counted by the numbers it has after the change. */
export const concluded = <T extends Type>(type: T, after: Node, extra: Extra<T>) => ({
  type,
  version: 1 as const,
  data: { node: after.id, fqdn: after.fqdn, zone: after.zone, incarnation: after.incarnation, generation: after.generation, ...extra },
});

/** The row of a node. */
export const nodeRef = refOf('node', Node);
