import * as z from 'zod';
import { Fid } from '../../core/fid.ts';
import { Fqdn, InstanceId, NodeId, ServiceName, ServiceTypeName, WatchAddress } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { Restart } from '../../core/restart.ts';
import { ServiceCommand, ServiceProgram } from '../../services/rows/service-type.ts';
import { Ask } from '../../services/service.ts';

/**
 * Slots that the node has lost while it serves: its release hook makes their clients knock now. `slots` of the zone,
 * for finding them.
 */
export const ReleaseOrder = z.strictObject({
  mapVersion: z.int().nonnegative(),
  zoneSlots: z.int().positive(),
  slots: z.array(z.int().nonnegative()),
});
export type ReleaseOrder = z.infer<typeof ReleaseOrder>;

/** Client systems of the node whose metadata somebody has changed lately, the newest last. */
export const MetadataNews = z.strictObject({
  changed: z.array(
    z.strictObject({
      /** Counts the news of this node. */
      n: z.int().positive(),
      /** The first 16 hex digits of its fingerprint. */
      system: z.string(),
      revision: z.int().positive(),
    }),
  ),
  /** The newest that fell off: whoever has not heard of it asks for the revisions of all. */
  fallen: z.int().nonnegative(),
});
export type MetadataNews = z.infer<typeof MetadataNews>;

/**
 * Parts of an agent that may write traces: what it reports, services, processes, what it sees as a station, and its
 * calls.
 */
export const TraceSubsystem = z.enum(['reports', 'services', 'processes', 'station', 'http']);
export type TraceSubsystem = z.infer<typeof TraceSubsystem>;

/** What a node should run and do. The row's revision is the ETag of `GET /nodes/{id}/desired`. */
export const Desired = z.strictObject({
  release: z.array(ReleaseOrder),
  metadata: MetadataNews.optional(),
  /** Counts orders about processes of the node: what they are stands in the rows of the processes. */
  orders: z.int().nonnegative().optional(),
  /** Of which of its parts the agent writes traces into its log. */
  traces: z.array(TraceSubsystem).optional(),
});
export type Desired = z.infer<typeof Desired>;

/**
 * What a storage node's agent is to do about a process: `run` it, once for each number in `start`; `stop` it; or
 * `watch` it, which somebody else starts and stops.
 */
export const DesiredProcess = z.strictObject({
  process: Fid,
  /** What unit and file are called by: `m0d`, `m0t1fs` or the name of an application. */
  prefix: z.string(),
  goal: z.enum(['run', 'stop', 'watch']),
  start: z.int().nonnegative(),
  /** What `/etc/sysconfig/<prefix>-<fid>` holds, in order. */
  environment: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  /** How long it may take to start and to stop, in ms. */
  startMs: z.int().positive(),
  stopMs: z.int().positive(),
  /** Where it is not the usual one. */
  restart: Restart.optional(),
});
export type DesiredProcess = z.infer<typeof DesiredProcess>;

/**
 * What an agent is to do about a service of its node: `run` it as this instance, in the place of any older one, or
 * `stop` it. What it runs is its type's; what it is asked is answered by a report each.
 */
export const DesiredService = z.strictObject({
  service: ServiceTypeName,
  name: ServiceName,
  instance: InstanceId,
  goal: z.enum(['run', 'stop']),
  program: ServiceProgram,
  check: ServiceCommand.optional(),
  status: ServiceCommand.optional(),
  checkEveryMs: z.int().positive().optional(),
  messages: z.array(z.strictObject({ name: ServiceTypeName, command: ServiceCommand })),
  /** What it runs with, as JSON text. */
  configuration: z.string(),
  startMs: z.int().positive(),
  stopMs: z.int().positive(),
  askMs: z.int().positive(),
  asks: z.array(Ask.omit({ until: true })),
});
export type DesiredService = z.infer<typeof DesiredService>;

/** What an agent does that is a station of its zone: it sees whom it reaches on the site's network, and says so. */
export const DesiredStation = z.strictObject({
  leaseMs: z.int().positive(),
  /** How many indexes of the zone's roster it is told of, and where each of those that are nodes can be reached. */
  size: z.int().nonnegative(),
  pings: z.array(z.strictObject({ index: z.int().nonnegative(), address: WatchAddress })),
});
export type DesiredStation = z.infer<typeof DesiredStation>;

/**
 * What an agent does whose node has a supervisor that runs, as that instance: it sees whether it reaches those that it
 * watches, and says so. `own` is its own node, where the services of that are among them.
 */
export const DesiredSupervisor = z.strictObject({
  instance: InstanceId,
  own: NodeId.optional(),
  /** Other nodes whose services it watches, or whose supervisor: where the agents of these take a connection. */
  watches: z.array(z.strictObject({ node: NodeId, host: Fqdn, address: WatchAddress, supervisor: z.literal(true).optional() })),
});
export type DesiredSupervisor = z.infer<typeof DesiredSupervisor>;

/**
 * What a node is answered that asks what it should run and do: `processes` of a storage node only, `services` of one
 * that has some or had.
 */
export const DesiredAnswer = Desired.extend({
  processes: z.array(DesiredProcess).optional(),
  services: z.array(DesiredService).optional(),
  station: DesiredStation.optional(),
  supervisor: DesiredSupervisor.optional(),
});
export type DesiredAnswer = z.infer<typeof DesiredAnswer>;

/** How many release orders wait at the most; older ones are dropped, their clients find out by their own interval. */
export const releasesMax = 16;

/** Slots of all orders that wait, at the most: 5 B each are 320 KB, and a row takes 400. */
export const releaseSlotsMax = 65_536;

/** How many news of metadata are kept: 1.5 KB, in a row that every heartbeat reads. */
export const newsMax = 32;

/** The orders that wait with one more: the newest, as many as fit. */
export function withOrder(waiting: readonly ReleaseOrder[], order: ReleaseOrder): ReleaseOrder[] {
  const kept = [order];
  let slots = order.slots.length;
  for (const older of waiting.slice(1 - releasesMax).reverse()) {
    slots += older.slots.length;
    if (slots > releaseSlotsMax) break;
    kept.unshift(older);
  }
  return kept;
}

/** What a node should do, by its id. */
export const desiredRef = refOf('desired', Desired);
