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
  /** What kind it is, in a word: halon, confd, mdservice, ioservice, m0d, m0t1fs, or the name of an application. */
  type: z.string(),
  services: z.array(ServiceStatus),
});
/** A host with its processes; `node` and `status` of the node that drives it, once one of its name has joined. */
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

/** How many of the cluster's processes a status names that are waited for. */
export const awaitedMax = 100;

/** A storage cluster as `mero status` shows it. */
export const MeroStatus = z.strictObject({
  zone: ZoneName,
  /** What is wanted of it. */
  disposition: Disposition,
  /** Who acts on site: the host of a station, or Muster alone. */
  coordinator: z.union([z.literal('muster'), Fqdn]),
  /** What waits, and why, while no majority of the stations is heard; absent while one is, or none is needed. */
  noQuorum: z.string().optional(),
  /**
   * Managed processes up to this level are to run, those above are to stop: −1 nothing, 0 confd, 1 servers, 2 kernel
   * clients, 3 managed applications.
   */
  level: Level,
  levelSince: Moment,
  /**
   * To be ONLINE: the level up to which everything is there that the next one needs. To be OFFLINE: that above which
   * nothing runs.
   */
  reached: Level,
  /** Why it is where it is, and whom it waits for. */
  because: z.string(),
  /** Since when a step is under way, and whether that takes longer than it may; absent once all is as it is wanted. */
  underWay: z.strictObject({ since: Moment, late: z.boolean() }).optional(),
  /** Processes that are waited for: the first of them, and how many there are. */
  waitingFor: z.array(z.strictObject({ process: Fid, host: Fqdn, state: z.string() })).max(awaitedMax),
  waiting: z.int().nonnegative(),
  /** How many processes Muster starts and stops, how many of these are online, and how many have not ended. */
  managed: z.strictObject({ all: z.int(), online: z.int(), running: z.int() }),
  /**
   * How many of these ran when their hosts were heard last, and nobody hears these hosts now; absent when there are
   * none.
   */
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

/** What an operator may set something to. */
const Setting = z.strictObject({ fid: Fid, state: z.string().min(1).max(400) });
/** How many are set at once, all or none. */
export const settingsMax = 40;

const flag = z.enum(['true', 'false']).default('false');

/** A storage cluster as a whole: its status, and what an operator says of it. */
export const adminMeroRoutes = {
  meroStatus: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/mero',
    summary: 'A storage cluster: what is wanted of it, how far it is, whom it waits for, and what its hosts and processes do',
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
    summary: 'Want a storage cluster to be ONLINE: its levels go up one after another',
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
      'Want a storage cluster to be OFFLINE: its levels go down one after another; with force whoever has had its time to stop is not waited for',
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
      'Forget what the processes of a stopped storage cluster do, until their hosts have said it; with hard also of one that is not stopped, which is to be OFFLINE at once; with unstick nothing is forgotten, and its levels are looked at anew',
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
    summary:
      'Set the states of processes and services, as somebody says who knows better: all or none, and none that it could not have come to',
    scope: 'admin',
    params: zone,
    body: z.strictObject({ set: z.array(Setting).min(1).max(settingsMax) }),
    reply: z.strictObject({ results: z.array(z.strictObject({ fid: Fid, done: z.boolean(), because: z.string() })) }),
    statuses: [200],
    errors: ['unknown-zone', 'not-a-storage-zone', 'refused', 'invalid'],
  }),
} as const;
