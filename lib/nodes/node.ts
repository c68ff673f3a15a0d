import * as z from 'zod';
import type { Published } from '../../events/catalogue.ts';
import { reportId } from '../../events/define.ts';
import { Boot, Load } from '../../events/reported/node.ts';
import { Fqdn, NodeId, PublicKey, Tag, WatchAddress, ZoneName } from '../core/ids.ts';
import { refOf } from '../core/ref.ts';
import { EpochMs, minuteMs } from '../core/time.ts';
import { type Admission, type Pace, paceWithin, type Rate } from '../zones/rows/admission.ts';
import { Flap } from './rows/flap.ts';
import { Loads } from './rows/loads.ts';
import { Miss, missesMax } from './rows/miss.ts';

/**
 * How long a node may be down before it is given up, in production mode: a reboot with a file system check fits in, a
 * dead host does not.
 */
export const dropAfterMs = 30 * minuteMs;
/** How long a drain waits for the report that its clients were notified, before it ends without one. */
export const releaseWaitMs = 30 * minuteMs;

/** What a node's host runs. */
export const NodeKind = z.enum(['uyuni', 'salt', 'storage']);
export type NodeKind = z.infer<typeof NodeKind>;

/**
 * Whether the rate of a node may follow what it can bear: no operator has set it, and it admits one after another by
 * its kind. `usualMs` is the interval that any Uyuni or Salt node can sustain.
 */
export const mayAdapt = ({ admitEveryMs, kind }: Pick<Node, 'admitEveryMs' | 'kind'>, usualMs: number): boolean =>
  admitEveryMs === undefined && kind !== 'storage' && usualMs > 0;

/** What the rate of a node follows from besides its own row: `pace` is the rate that it was found to bear, if any. */
export type RateOptions = {
  readonly usualMs: number;
  readonly admission: Admission | undefined;
  readonly pace: Pace | undefined;
};

/**
 * How a node admits clients that move to it: by the rate that an operator has set; else, in a zone whose rates adapt,
 * by what it was found to bear; else as its kind usually does.
 */
export function rateOf(node: Pick<Node, 'admitEveryMs' | 'kind'>, { usualMs, admission, pace }: RateOptions): Rate {
  if (admission && pace && mayAdapt(node, usualMs)) return paceWithin(pace, admission);
  return { everyMs: node.admitEveryMs ?? (node.kind === 'storage' ? 0 : usualMs) };
}

/** The end of a hash or an id: enough to tell it from the one before, in a row that must stay below 1 KB. */
export const markOf = (text: string): string => text.slice(-6);

/** How a node leaves on purpose: its clients move away, or wait for it until the deadline. */
export const LeaveMode = z.enum(['drain', 'hold']);

/** The fields of every node, in any status. */
const every = {
  id: NodeId,
  fqdn: Fqdn,
  kind: NodeKind,
  zone: ZoneName,
  publicKey: PublicKey,
  /** The key that it has named as its next; the first call signed with it makes it the key. */
  nextKey: PublicKey.optional(),
  watch: WatchAddress,
  /** A node of weight 2 takes twice the client systems of a node of weight 1. */
  weight: z.number().positive(),
  /** The most client systems it should have; absent is unlimited. */
  capacity: z.int().positive().optional(),
  /**
   * The interval at which it admits clients that move to it, in ms; 0 admits any number at once; absent is the default
   * of its kind.
   */
  admitEveryMs: z.int().nonnegative().optional(),
  labels: z.record(z.string(), Tag),
  /** The template of its page, if an operator has set one for it alone; otherwise it has that of its zone. */
  page: z.string().optional(),
  joinedAt: EpochMs,
  /** Grows by one for each acknowledged new boot of the agent; fences reports. */
  incarnation: z.int().nonnegative(),
  /** Grows by one only when the node joins as new, flushed; fences memberships. */
  generation: z.int().nonnegative(),
  /** Its place in the zone's roster, assigned by the zone's plan and never reused for another node. */
  index: z.int().nonnegative().optional(),
  /**
   * The acknowledged boot, and the boot before it, which reveals a clone (A, B, A). `again`: it was already
   * acknowledged before that boot, which was never heard again.
   */
  boot: Boot.extend({ receivedAt: EpochMs, before: z.string().optional(), again: z.literal(true).optional() }).optional(),
  /**
   * An administrator has another system vouch for its liveness: the reports of that system count, and those of its
   * agent do not.
   */
  vouched: z.literal(true).optional(),
  /**
   * `since`: when an administrator last changed whether another system vouches for it; reports from before do not
   * count. `ups`: counts of the two systems that vouched last, each a mark of the system and the highest number of its
   * node-ups that was decided on. They outlast the administrator's change, because a report sent before it may be sent
   * again after it.
   */
  voice: z
    .strictObject({ since: EpochMs.optional(), ups: z.array(z.strictObject({ of: z.string(), seq: z.int().nonnegative() })).max(2) })
    .optional(),
  /** The last heartbeat's number within the incarnation. */
  seq: z.int().nonnegative(),
  heardAt: EpochMs.optional(),
  load: Load.optional(),
  /** How busy it was in the last hour, as far as there is room in the row. */
  loads: Loads.optional(),
  /**
   * What runs on the host of a storage node according to Muster, as marks: `hash` of the table that was last taken in,
   * `load` of the load of the cluster whose processes were looked up in it, and `now` of the last heartbeat if it
   * differs. `taken` is the number of that table among the agent's reports of this boot: an older or repeated one is
   * not taken in again. `anew`: the kernel has restarted since, or the node has flushed all it had.
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
  /** Services were started there once: its orders and its reports of what runs there cover them, too. */
  services: z.literal(true).optional(),
  /**
   * When the last order about leaving or staying was received, and the last report that asked to leave: an older or
   * repeated one is ignored.
   */
  word: z.strictObject({ at: EpochMs, report: reportId.optional() }).optional(),
  /** It has not reported ready since it joined as new; it stays joining until it does, whatever happens meanwhile. */
  unready: z.literal(true).optional(),
  /** How often it was recently lost and came back. */
  flap: Flap.optional(),
  /**
   * When an operator removed it: its calls are answered `removed`, and it stays out until it is admitted again or joins
   * with a newer token.
   */
  removedAt: EpochMs.optional(),
  /**
   * The node that takes its place, when an operator ordered that, and whether this node was taken out on purpose; the
   * field remains once the replacement is done.
   */
  replacedBy: z.strictObject({ node: NodeId, at: EpochMs, planned: z.boolean() }).optional(),
  /** The node whose index and home it takes over once it is ready. */
  replaces: NodeId.optional(),
  /** The zone's roster must reflect a change of this node; the row stays due until the zone's plan has done so. */
  awaitsPlan: z.literal(true).optional(),
};

const ordered = z.literal('drop').optional();
/** Why a node takes no new clients until an operator acts. */
const reason = z.enum(['clone', 'flapping', 'operator']);
/** `missed`: its clients that cannot reach it, since it was last heard. */
const leased = { ...every, leaseUntil: EpochMs, ordered, missed: z.array(Miss).max(missesMax).optional() };
/**
 * `orderVersion` is the map version that moved its slots away, `releasedVersion` the version that its release hook has
 * carried out.
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
   * The latest time until which clients of a drained node wait for their turn elsewhere. The ticks of the node come
   * sooner, and do not know the turns.
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
    /** The reason of a quarantined node: silence does not lift a quarantine. */
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
     * In a zone without automatic readmission: whether the node has asked to come back, and whether an administrator
     * has allowed it.
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
 * Every move of a node, by the code that writes it: `nodes/decide` from reports, `zones/plan` for moves that concern
 * the whole zone. The diagram in docs/ and the property tests are derived from this table.
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

/** Whether Muster runs anything there: it belongs to a storage cluster, or services were started there. */
export const isDriven = ({ kind, services }: Pick<Node, 'kind' | 'services'>): boolean => kind === 'storage' || services === true;

/**
 * A node that was given up is due at once, and at every change of its row: what ran there is lost with it, and nothing
 * in the row says whether that is recorded already. The sweep does so, and then leaves the row alone.
 */
export const lossDue = (node: Node, now: EpochMs): { readonly wakeAt?: EpochMs } => (isDriven(node) ? { wakeAt: now } : {});

/**
 * Whether a node that has been up has no boot, because the source of its liveness changed: the new source begins with a
 * node-up.
 */
export const awaitsUp = ({ boot, incarnation }: Pick<Node, 'boot' | 'incarnation'>): boolean => !boot && incarnation > 0;

/** The fields that a node keeps in every status. */
export type Lasting = Omit<NodeIn<'absent'>, 'status' | 'awaitsPlan'>;
/** The fields that only some statuses have, and `awaitsPlan`, which every write sets anew. */
type OfStatus = Exclude<Node extends infer N ? (N extends unknown ? keyof N : never) : never, keyof Lasting>;

/**
 * The fields that a node keeps in every status. The fields of its present status are removed by name, so that a new
 * field of every node is kept by default; a new field of a status that is not named here does not compile.
 */
export function lasting(node: Node): Lasting {
  const known: Lasting & { readonly [K in OfStatus]?: unknown } = node;
  const { status, awaitsPlan, leaseUntil, ordered, missed, was, leaving, reason, ...others } = known;
  const { downAt, returning, droppedAt, planned, readmission, ...rest } = others;
  const stays: Lasting & { readonly [K in OfStatus]?: never } = rest;
  return stays;
}

/** The marks that the zone's plan has yet to see, an operator's order included; no report may clear them. */
export const pending = (node: Node): { ordered?: 'drop'; awaitsPlan?: true } => ({
  ...('ordered' in node && node.ordered && { ordered: node.ordered }),
  ...(node.awaitsPlan && { awaitsPlan: true }),
});

/**
 * The node that a suspect becomes once it is heard: it returns to its former status. `base` has its lasting fields and
 * its new lease.
 */
export function resumed(node: NodeIn<'suspect'>, base: ReturnType<typeof lasting> & { leaseUntil: EpochMs }): Node {
  const next = { ...base, ...pending(node), awaitsPlan: true as const };
  if (node.was === 'leaving' && node.leaving) return { ...next, status: 'leaving', leaving: node.leaving };
  if (node.was === 'quarantined') return { ...next, status: 'quarantined', reason: node.reason ?? 'operator' };
  return { ...next, status: node.was === 'joining' ? 'joining' : 'up' };
}

type NodeEvent = Extract<Published, { type: `node.${string}` }>;
type Type = NodeEvent['type'];
/** The data of an event about a node, without its node, incarnation and generation. */
type Extra<T extends Type> = Omit<Extract<NodeEvent, { type: T }>['data'], 'node' | 'fqdn' | 'zone' | 'incarnation' | 'generation'>;

/** An event about a node, with the incarnation and generation that the node has after the change. */
export const concluded = <T extends Type>(type: T, after: Node, extra: Extra<T>) => ({
  type,
  version: 1 as const,
  data: { node: after.id, fqdn: after.fqdn, zone: after.zone, incarnation: after.incarnation, generation: after.generation, ...extra },
});

/** The row of a node. */
export const nodeRef = refOf('node', Node);
