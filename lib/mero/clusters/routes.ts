import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';
import { Fid } from '../../core/fid.ts';
import { Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import { Disposition } from './cluster.ts';

const zone = z.strictObject({ zone: ZoneName });
const done = z.strictObject({ done: z.boolean(), because: z.string() });
const Level = z.int().min(-1).max(3);

/** A state as `mero status` words it; `extended` says more where one word does not. */
const state = { state: z.string(), extended: z.string().optional() };
const DeviceStatus = z.strictObject({ fid: Fid, ...state, path: z.string(), wwn: z.string() });
const ServiceStatus = z.strictObject({ fid: Fid, ...state, type: z.string(), devices: z.array(DeviceStatus).optional() });
const ProcessStatus = z.strictObject({
  fid: Fid,
  ...state,
  endpoint: z.string(),
  /** Its kind: halon, confd, mdservice, ioservice, m0d, m0t1fs, or the name of an application. */
  type: z.string(),
  services: z.array(ServiceStatus),
});
/** A host with its processes; `node` and `status` are of the node that drives it, once one of its name has joined. */
export const MeroHostStatus = z.strictObject({
  fid: Fid,
  ...state,
  host: Fqdn,
  node: NodeId.optional(),
  status: z.string().optional(),
  /** It is a station of the zone. */
  station: z.literal(true).optional(),
  processes: z.array(ProcessStatus),
});
export type MeroHostStatus = z.infer<typeof MeroHostStatus>;

/** How many of the processes that are waited for a status names. */
export const awaitedMax = 100;

/** A storage cluster as `mero status` shows it. */
export const MeroStatus = z.strictObject({
  zone: ZoneName,
  /** Its goal. */
  disposition: Disposition,
  /** The one that acts on site: the host of a station, or Muster alone. */
  coordinator: z.union([z.literal('muster'), Fqdn]),
  /**
   * The changes that wait, and why, while no majority of the stations is heard; absent while one is heard, or none is
   * needed.
   */
  noQuorum: z.string().optional(),
  /**
   * Managed processes up to this level must run, those above must stop: −1 nothing, 0 confd, 1 servers, 2 kernel
   * clients, 3 managed applications.
   */
  level: Level,
  levelSince: Moment,
  /**
   * While it must be ONLINE: the level up to which everything is there that the next one needs. While it must be
   * OFFLINE: the level above which nothing runs.
   */
  reached: Level,
  /** Why it is at its level, and which processes it waits for. */
  because: z.string(),
  /** Since when a step is under way, and whether that takes longer than it may; absent once all is as wanted. */
  underWay: z.strictObject({ since: Moment, late: z.boolean() }).optional(),
  /** Processes that are waited for: the first of them, and how many there are. */
  waitingFor: z.array(z.strictObject({ process: Fid, host: Fqdn, state: z.string() })).max(awaitedMax),
  waiting: z.int().nonnegative(),
  /** How many processes Muster starts and stops, how many of these are online, and how many have not ended. */
  managed: z.strictObject({ all: z.int(), online: z.int(), running: z.int() }),
  /** How many of these ran at the last report of their hosts, which are silent now; absent if there are none. */
  unheard: z.int().positive().optional(),
  /** The facts that it was loaded from; absent while there are none. */
  loaded: z
    .strictObject({ load: z.string(), at: Moment, nodes: z.int(), processes: z.int(), services: z.int(), devices: z.int() })
    .optional(),
  /** The service that is the principal resource manager. */
  principal: Fid.optional(),
  /** As the facts have them; none with `summary`. */
  pools: z.array(z.strictObject({ fid: Fid, id: z.string() })),
  profiles: z.array(z.strictObject({ fid: Fid, id: z.string() })),
  /** Hosts in the order of their fids; absent with `summary`. */
  hosts: z.array(MeroHostStatus).optional(),
  /** The cursor of the next hosts, when there are more. */
  next: z.string().optional(),
});
export type MeroStatus = z.infer<typeof MeroStatus>;

/** A state that an operator sets. */
const Setting = z.strictObject({ fid: Fid, state: z.string().min(1).max(400) });
/** How many are set at once, all or none. */
export const settingsMax = 40;

const flag = z.enum(['true', 'false']).default('false');

/** A storage cluster as a whole: its status, and the orders of operators about it. */
export const adminMeroRoutes = {
  meroStatus: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/mero',
    summary: 'A storage cluster: its goal, its progress, the processes that it waits for, and the states of its hosts and processes',
    scope: 'read',
    params: zone,
    query: z.strictObject({
      /** Without hosts. */
      summary: flag,
      /** With the devices of services. */
      devices: flag,
      limit: z.coerce.number().int().min(1).max(2_000).default(2_000),
      cursor: z.string().max(500).optional(),
    }),
    reply: MeroStatus,
    statuses: [200],
    errors: ['unknown-zone', 'not-a-storage-zone', 'bad-cursor'],
  }),
  startMero: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/mero/start',
    summary: 'Set a storage cluster to ONLINE: its levels go up one after another',
    scope: 'operate',
    params: zone,
    body: z.strictObject({}).default({}),
    reply: done,
    statuses: [202],
    errors: ['unknown-zone', 'not-a-storage-zone', 'refused'],
  }),
  stopMero: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/mero/stop',
    summary:
      'Set a storage cluster to OFFLINE: its levels go down one after another. With force, processes that exceed their time to stop are not waited for',
    scope: 'operate',
    params: zone,
    body: z.strictObject({ force: z.boolean().optional(), reason: z.string().min(1).max(200).optional() }).default({}),
    reply: done,
    statuses: [202],
    errors: ['unknown-zone', 'not-a-storage-zone'],
  }),
  resetMero: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/mero/reset',
    summary:
      'Forget the states of the processes of a stopped storage cluster until their hosts report them. The mode hard also resets a cluster that is not stopped, and sets it to OFFLINE at once. The mode unstick forgets nothing, and has the levels checked anew',
    scope: 'admin',
    params: zone,
    body: z.strictObject({ mode: z.enum(['soft', 'hard', 'unstick']).optional() }).default({}),
    reply: z.strictObject({ ...done.shape, processes: z.int().nonnegative() }),
    statuses: [202],
    errors: ['unknown-zone', 'not-a-storage-zone', 'refused'],
  }),
  updateMero: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/mero/update',
    summary: 'Set the states of processes and services as an operator knows them: all or none, and only states that each can reach',
    scope: 'admin',
    params: zone,
    body: z.strictObject({ set: z.array(Setting).min(1).max(settingsMax) }),
    reply: z.strictObject({ results: z.array(z.strictObject({ fid: Fid, done: z.boolean(), because: z.string() })) }),
    statuses: [200],
    errors: ['unknown-zone', 'not-a-storage-zone', 'refused', 'invalid'],
  }),
} as const;
