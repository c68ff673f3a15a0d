import * as z from 'zod';
import { Fid } from '../../core/fid.ts';
import { ActionNumber, Fqdn, InstanceId, NodeId, ServiceName, ServiceTypeName, WatchAddress } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { Restart } from '../../core/restart.ts';
import { EpochMs, hourMs, plusMs } from '../../core/time.ts';
import { ServiceCommand, ServiceProgram } from '../../services/rows/service-type.ts';
import { Ask } from '../../services/service.ts';
import { BlobName, manifestBlobsMax } from '../../uyuni/content/blob.ts';

/**
 * Slots that the node has lost while it serves: its release hook makes their clients knock now. `zoneSlots`: the number
 * of slots of the zone, by which the agent finds those clients.
 */
export const ReleaseOrder = z.strictObject({
  mapVersion: z.int().nonnegative(),
  zoneSlots: z.int().positive(),
  slots: z.array(z.int().nonnegative()),
});
export type ReleaseOrder = z.infer<typeof ReleaseOrder>;

/** Client systems of the node whose metadata changed recently, the newest last. */
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
  /** The number of the newest that was discarded: an agent that has not seen it asks for the revisions of all. */
  fallen: z.int().nonnegative(),
});
export type MetadataNews = z.infer<typeof MetadataNews>;

/**
 * Parts of an agent that may write traces: its reports, services, processes, its observations as a station, and its
 * calls.
 */
export const TraceSubsystem = z.enum(['reports', 'services', 'processes', 'station', 'http']);
export type TraceSubsystem = z.infer<typeof TraceSubsystem>;

/** As which seat common content is open on a node, and until when. */
export const DesiredSeat = z.strictObject({ epoch: z.int().positive(), until: EpochMs });
export type DesiredSeat = z.infer<typeof DesiredSeat>;

/** What became of an order about common content on a node. */
export const ContentDone = z.strictObject({
  is: z.enum(['applied', 'failed']),
  at: EpochMs,
  /** How many documents were made, changed and removed, were alike, and are there beyond the revision. */
  counts: z.strictObject({ made: z.int(), changed: z.int(), removed: z.int(), alike: z.int(), extra: z.int() }).optional(),
  /** The first that could not be made as the revision says, and why. */
  why: z.array(z.string().max(300)).max(5),
});
export type ContentDone = z.infer<typeof ContentDone>;

/** An order to the agent of a Uyuni server to have its common content be as a revision says, and what became of it. */
export const DesiredContent = z.strictObject({
  order: z.string(),
  revision: z.int().positive(),
  /** The blobs of the manifest of that revision. */
  manifest: z.array(BlobName).max(manifestBlobsMax),
  /** What the server has beyond the revision is removed. */
  removes: z.literal(true).optional(),
  /** The generation of the node, and when it was ordered. */
  generation: z.int().nonnegative(),
  at: EpochMs,
  /** What became of it; the agent has nothing more to do. */
  done: ContentDone.optional(),
});
export type DesiredContent = z.infer<typeof DesiredContent>;

/** An order to the agent of a Uyuni server to read its common content and store it, as a revision. */
export const DesiredExport = z.strictObject({
  order: z.string(),
  revision: z.int().positive(),
  /** The blobs of the manifest of the revision before: what that has is stored already. */
  manifest: z.array(BlobName).max(manifestBlobsMax),
});
export type DesiredExport = z.infer<typeof DesiredExport>;

/** What a node should run and do. The row's revision is the ETag of `GET /nodes/{id}/desired`. */
export const Desired = z.strictObject({
  release: z.array(ReleaseOrder),
  metadata: MetadataNews.optional(),
  /** Counts orders about processes of the node; the rows of the processes hold the orders. */
  orders: z.int().nonnegative().optional(),
  /** The parts of the agent that write traces into its log. */
  traces: z.array(TraceSubsystem).optional(),
  /** The order to offer the systems of its server for adoption, until they were taken. */
  adopt: z.string().optional(),
  /** Orders to act on client systems, by their numbers, until the agent has taken them, or their time has passed. */
  act: z.array(z.strictObject({ number: ActionNumber, until: EpochMs })).optional(),
  /** The node is the seat of its zone, under this epoch: common content is open for editing there until a moment. */
  seat: DesiredSeat.optional(),
  /** The last revision of common content that it is to have. */
  content: DesiredContent.optional(),
  /** Its common content is to be read, before anything else is done to it. */
  export: DesiredExport.optional(),
});
export type Desired = z.infer<typeof Desired>;

/**
 * The task of a storage node's agent for a process: `run` it, once for each number in `start`; `stop` it; or `watch` it
 * while something else starts and stops it.
 */
export const DesiredProcess = z.strictObject({
  process: Fid,
  /** The prefix of the names of its unit and file: `m0d`, `m0t1fs` or the name of an application. */
  prefix: z.string(),
  goal: z.enum(['run', 'stop', 'watch']),
  start: z.int().nonnegative(),
  /** The contents of `/etc/sysconfig/<prefix>-<fid>`, in order. */
  environment: z.array(z.strictObject({ name: z.string(), value: z.string() })),
  /** How long it may take to start and to stop, in ms. */
  startMs: z.int().positive(),
  stopMs: z.int().positive(),
  /** The restart policy, if it is not the usual one. */
  restart: Restart.optional(),
});
export type DesiredProcess = z.infer<typeof DesiredProcess>;

/**
 * The task of an agent for a service of its node: `run` it as this instance, in place of any older one, or `stop` it.
 * The type of the service gives the program; the agent answers each of `asks` with a report.
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
  /** Its configuration, as JSON text. */
  configuration: z.string(),
  startMs: z.int().positive(),
  stopMs: z.int().positive(),
  askMs: z.int().positive(),
  asks: z.array(Ask.omit({ until: true })),
});
export type DesiredService = z.infer<typeof DesiredService>;

/**
 * The task of an agent that is a station of its zone: it checks which hosts it reaches on the site's network, and
 * reports that.
 */
export const DesiredStation = z.strictObject({
  leaseMs: z.int().positive(),
  /** How many indexes of the zone's roster there are, and where each of those that are nodes can be reached. */
  size: z.int().nonnegative(),
  pings: z.array(z.strictObject({ index: z.int().nonnegative(), address: WatchAddress })),
});
export type DesiredStation = z.infer<typeof DesiredStation>;

/**
 * The task of an agent whose node has a running supervisor, as that instance: it checks whether it reaches the nodes
 * that it watches, and reports that. `own` is its own node, if services of that are among those it watches.
 */
export const DesiredSupervisor = z.strictObject({
  instance: InstanceId,
  own: NodeId.optional(),
  /** Other nodes whose services or supervisor it watches, and where their agents accept a connection. */
  watches: z.array(z.strictObject({ node: NodeId, host: Fqdn, address: WatchAddress, supervisor: z.literal(true).optional() })),
});
export type DesiredSupervisor = z.infer<typeof DesiredSupervisor>;

/**
 * The answer to a node that asks what it should run and do: `processes` of a storage node only, `services` of one that
 * has some or had.
 */
export const DesiredAnswer = Desired.extend({
  processes: z.array(DesiredProcess).optional(),
  services: z.array(DesiredService).optional(),
  station: DesiredStation.optional(),
  supervisor: DesiredSupervisor.optional(),
});
export type DesiredAnswer = z.infer<typeof DesiredAnswer>;

/** The most release orders that wait; older ones are dropped, and their clients find out at their own interval. */
export const releasesMax = 16;

/** The most slots of all orders that wait: at 5 B each they are 320 KB, and a row takes 400. */
export const releaseSlotsMax = 65_536;

/** The most changes of metadata that are retained: 1.5 KB, in a row that every heartbeat reads. */
export const newsMax = 32;

/** The most orders to act that wait for an agent: 4 KB, in a row that every heartbeat reads. */
export const actsMax = 100;

/** The orders that wait with one more: the newest, as many as fit. */
export function withOrder(waiting: readonly ReleaseOrder[], order: ReleaseOrder): ReleaseOrder[] {
  const fitting = [order];
  let slots = order.slots.length;
  for (const older of waiting.slice(1 - releasesMax).reverse()) {
    slots += older.slots.length;
    if (slots > releaseSlotsMax) break;
    fitting.unshift(older);
  }
  return fitting;
}

/** How long a server may take to have a revision, in ms: after that it counts as failed. */
export const applyMs = 2 * hourMs;

/** Whether a node, in this generation, is to have a revision of common content, and may still be at it. */
export const isGiven = ({ content }: Pick<Desired, 'content'> = {}, generation: number, now: EpochMs): boolean =>
  content !== undefined && content.generation === generation && !content.done && now < plusMs(content.at, applyMs);

/** What a node should do, by its id. */
export const desiredRef = refOf('desired', Desired);
