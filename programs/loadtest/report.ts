import * as z from 'zod';

const count = z.int().nonnegative();
const ms = z.number().nonnegative();
/** How many of each, by name. */
const Counts = z.record(z.string(), count);

/**
 * How long calls took: the span that half, nine in ten, 99 of 100 and 999 of 1,000 did not exceed, the longest and the
 * mean, in ms.
 */
export const Latencies = z.strictObject({ count, meanMs: ms, p50Ms: ms, p90Ms: ms, p99Ms: ms, p999Ms: ms, maxMs: ms });
export type Latencies = z.infer<typeof Latencies>;

/** The calls of one second, and the state at its end. */
export const Second = z.strictObject({
  /** The end of it, in seconds since the start. */
  atS: ms,
  /** Calls that were answered, by name. */
  calls: Counts,
  /** Calls of client systems, and of nodes. */
  clientCalls: Latencies,
  nodeCalls: Latencies,
  /** Refusals by their slug; `unreachable` is a call without an answer. */
  errors: Counts,
  /** Client systems by the phase of their daemons: `unheard`, `new`, `orphan`, `told`, `onboarded`, `deleted`. */
  clients: Counts,
  /** Nodes of the zone by their status, as Muster reports it; absent until it does. */
  nodes: Counts.optional(),
  /** Nodes that were silenced. */
  silent: count,
  /**
   * Calls that waited for their turn in this process, and how late its timers were: when either grows, the load
   * generator is the bottleneck.
   */
  waiting: count,
  lateMs: ms,
});
export type Second = z.infer<typeof Second>;

/** The requested configuration; spans in ms. */
export const Configuration = z.strictObject({
  nodes: count,
  clients: count,
  /** Client systems that start a second. */
  rate: z.number().positive(),
  forMs: count,
  zone: z.string(),
  /** Calls under way at once, at the most. */
  connections: count,
  failures: z.array(z.strictObject({ atMs: count, nodes: count, forMs: count })),
  /** How many client systems the server of each node registers a second, if it plays one. */
  bears: z.number().positive().optional(),
});
export type Configuration = z.infer<typeof Configuration>;

/**
 * Nodes that were silenced, and when, in seconds since the start; `backS` is absent where the run ended before they
 * came back.
 */
export const Failed = z.strictObject({ atS: ms, backS: ms.optional(), nodes: z.array(z.string()) });
export type Failed = z.infer<typeof Failed>;

/** The result of one run: `report.json`. */
export const Report = z.strictObject({
  version: z.literal(1),
  run: z.string(),
  startedAt: z.string(),
  endedAt: z.string(),
  /** Why it ended: its time was over, or it was interrupted. */
  ended: z.enum(['time', 'interrupted']),
  muster: z.strictObject({ endpoint: z.string(), deployment: z.string(), version: z.string() }),
  machine: z.strictObject({ node: z.string(), platform: z.string(), cpus: count, memoryMib: count }),
  configuration: Configuration,
  totals: z.strictObject({
    seconds: ms,
    /** By the name of the call. */
    calls: z.record(z.string(), Latencies),
    errors: Counts,
    clients: Counts,
    nodes: Counts.optional(),
    /** The most calls that waited for their turn, and the latest that timers were. */
    waitingMax: count,
    lateMaxMs: ms,
  }),
  failures: z.array(Failed),
  seconds: z.array(Second),
});
export type Report = z.infer<typeof Report>;
