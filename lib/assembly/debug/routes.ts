import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';
import { Fqdn, NodeId, ServiceTypeName, ZoneName } from '../../core/ids.ts';
import { TraceSubsystem } from '../../nodes/desired/desired.ts';
import { StationsView } from '../../stations/routes.ts';

export { TraceSubsystem };

/**
 * A queue, for debugging. SQS only counts approximately, and does not give the age of the oldest message: CloudWatch
 * has it.
 */
const QueueView = z.strictObject({
  queue: z.string(),
  messages: z.int().nonnegative(),
  /** Of them: those that are delayed, and those in work; absent where all are counted as one. */
  delayed: z.int().nonnegative().optional(),
  hidden: z.int().nonnegative().optional(),
  oldestSentAt: Moment.optional(),
  oldestAgeMs: z.int().nonnegative().optional(),
});
export type QueueView = z.infer<typeof QueueView>;

/** One of Muster's own consumers, in the form of a service on the node `muster`. */
export const RuleView = z.strictObject({
  type: ServiceTypeName,
  node: z.literal('muster'),
  /** Where its work comes from, and what it does with it. */
  consumes: z.string(),
  does: z.string(),
  /**
   * In this process, since it began; absent on AWS, where each consumer runs in processes of its own and `metric`
   * counts.
   */
  counted: z
    .strictObject({ since: Moment, handled: z.int().nonnegative(), failed: z.int().nonnegative(), lastAt: Moment.optional() })
    .optional(),
  /** The metric of CloudWatch that counts its work on AWS. */
  metric: z.string(),
  /** Its present state, by stated limits: an exit code as OCF has it, 0 well, 1 not, and a line for each limit. */
  check: z.strictObject({ exit: z.union([z.literal(0), z.literal(1)]), says: z.array(z.string()) }),
});
export type RuleView = z.infer<typeof RuleView>;

/** The coordinator of a zone, how late time is delivered, the jobs under way, and the last decisions. */
export const ZoneDebug = z.strictObject({
  zone: ZoneName,
  now: Moment,
  stations: StationsView,
  sweep: z.strictObject({
    everyMs: z.int().positive(),
    sweptAt: Moment.optional(),
    lateMs: z.int().nonnegative().optional(),
    graceUntil: Moment.optional(),
  }),
  /**
   * Rows of the whole deployment that are due, in total and by noun; `more` when not all were counted. Absent for
   * callers who are limited to some zones.
   */
  due: z.strictObject({ rows: z.int().nonnegative(), more: z.boolean(), byNoun: z.record(z.string(), z.int()) }).optional(),
  /** The jobs under way: a level on its way, a load that is handed in, nodes that leave, join or are replaced. */
  jobs: z.array(z.strictObject({ job: z.string(), says: z.string(), since: Moment.optional() })),
  /** The last conclusions about the zone, its stations and its cluster, newest first. */
  decisions: z.array(z.strictObject({ at: Moment, type: z.string(), about: z.string(), because: z.string(), who: z.string().optional() })),
});
export type ZoneDebug = z.infer<typeof ZoneDebug>;

/** The orders that Muster has assigned to a node, and the reports of the node. */
export const NodeDebug = z.strictObject({
  node: NodeId,
  host: Fqdn,
  zone: ZoneName,
  status: z.string(),
  because: z.string(),
  incarnation: z.int().nonnegative(),
  generation: z.int().nonnegative(),
  joinedAt: Moment,
  told: z.strictObject({
    /**
     * The revision of what it should run and do. The agent asks for it when a heartbeat names another one than it has.
     */
    revision: z.int().nonnegative(),
    processes: z.array(z.strictObject({ process: z.string(), goal: z.string(), start: z.int() })),
    services: z.array(z.strictObject({ service: z.string(), goal: z.string(), instance: z.string(), asks: z.int().nonnegative() })),
    station: z.strictObject({ leaseMs: z.int(), pings: z.int() }).optional(),
    /** Other nodes that its supervisor watches: their services, or their `supervisor`. */
    watches: z.array(z.strictObject({ host: Fqdn, supervisor: z.literal(true).optional() })).optional(),
    /** Orders to release client systems that wait, and news of metadata. */
    releases: z.int().nonnegative(),
    news: z.int().nonnegative(),
    /** Parts for which its agent writes traces. */
    traces: z.array(TraceSubsystem),
  }),
  said: z.strictObject({
    boot: z.string().optional(),
    /** The number of its last heartbeat within the incarnation. */
    seq: z.int().nonnegative(),
    heardAt: Moment.optional(),
    /**
     * The mark of all that runs there by its last heartbeat, and the mark of the table that was last taken. While they
     * differ, Muster asks for the table.
     */
    table: z.strictObject({ taken: z.string().optional(), now: z.string().optional(), asked: z.boolean() }).optional(),
    services: z.array(z.strictObject({ service: z.string(), state: z.string(), instance: z.string() })),
  }),
});
export type NodeDebug = z.infer<typeof NodeDebug>;

/** Routes for debugging Muster itself. */
export const adminDebugRoutes = {
  listQueues: route({
    method: 'GET',
    path: '/api/v1/queues',
    summary: 'The queues of the deployment: the depth of each, the age of its oldest message, and the number of dead letters',
    scope: 'read',
    reply: z.strictObject({ queues: z.array(QueueView), deadLetters: z.int().nonnegative() }),
    statuses: [200],
    errors: [],
  }),
  listRules: route({
    method: 'GET',
    path: '/api/v1/rules',
    summary:
      'The consumers of Muster itself, as services on the node `muster`: where the work of each comes from, how much it has handled, and whether it is well',
    scope: 'read',
    reply: z.strictObject({ items: z.array(RuleView) }),
    statuses: [200],
    errors: [],
  }),
  debugZone: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/debug',
    summary: 'The coordination of a zone: its stations, how late time is delivered, the jobs under way, and the last decisions',
    scope: 'read',
    params: z.strictObject({ zone: ZoneName }),
    reply: ZoneDebug,
    statuses: [200],
    errors: ['unknown-zone'],
  }),
  debugNode: route({
    method: 'GET',
    path: '/api/v1/nodes/{id}/debug',
    summary:
      'The orders that a node was assigned and its reports: the revision of what it should run, its processes and services, and its last reports',
    scope: 'read',
    params: z.strictObject({ id: z.union([NodeId, Fqdn]) }),
    reply: NodeDebug,
    statuses: [200],
    errors: ['unknown-node'],
  }),
  traceNode: route({
    method: 'PUT',
    path: '/api/v1/nodes/{id}/traces',
    summary: "Switch traces of a part of a node's agent on or off. The agent writes them into its log, even after it was started again",
    scope: 'operate',
    params: z.strictObject({ id: z.union([NodeId, Fqdn]) }),
    body: z.strictObject({ subsystem: TraceSubsystem, on: z.boolean() }),
    reply: z.strictObject({ done: z.boolean(), because: z.string(), traces: z.array(TraceSubsystem) }),
    statuses: [200],
    errors: ['unknown-node'],
  }),
} as const;
