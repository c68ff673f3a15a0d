import * as z from 'zod';
import { Moment } from '../../api/moment.ts';
import { route } from '../../api/route.ts';
import { Fid } from '../../core/fid.ts';
import { Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import { ProcessType } from '../facts/process.ts';

/** The displayed state of a process: with the loss of its node taken into account. */
export const DisplayedStateName = z.enum(['unknown', 'offline', 'starting', 'online', 'quiescing', 'stopping', 'failed', 'inhibited']);

/** A process of a storage cluster as the API and the CLI show it. */
export const MeroProcessView = z.strictObject({
  fid: Fid,
  host: Fqdn,
  type: ProcessType,
  /** The prefix of the names of its units and files. */
  prefix: z.string(),
  endpoint: z.string(),
  /** The role that it was added by; absent for a process from the facts. */
  role: z.string().optional(),
  /** Muster starts and stops it. */
  managed: z.boolean(),
  state: DisplayedStateName,
  /** Why it has failed, or its state before its node was lost. */
  reason: z.string().optional(),
  previous: DisplayedStateName.optional(),
  since: Moment,
  /** When the restart rule starts it again; absent if the rule leaves it alone. */
  retryAt: Moment.optional(),
  /** Its goal; absent for Halon's own. */
  goal: z.enum(['run', 'stop', 'watch']).optional(),
  /** How often its start was ordered. */
  start: z.int().nonnegative(),
  pid: z.int().positive().optional(),
  /** An operator has stopped it, or removes it. */
  stopped: z.literal(true).optional(),
  removing: z.literal(true).optional(),
  services: z.array(z.strictObject({ fid: Fid, type: z.string(), state: z.string() })),
  devices: z.int().nonnegative(),
});

export type MeroProcessView = z.infer<typeof MeroProcessView>;

/** A host of a storage cluster as the API and the CLI show it. */
export const MeroNodeView = z.strictObject({
  fid: Fid,
  host: Fqdn,
  lnid: z.string().optional(),
  /** The node that drives it, where one of that name has joined. */
  node: z.strictObject({ id: NodeId, status: z.string() }).optional(),
  /** An operator has stopped it, or removes it; with `host` the node is removed, too. */
  stopped: z.literal(true).optional(),
  removing: z.strictObject({ host: z.boolean(), by: Moment }).optional(),
  processes: z.array(MeroProcessView),
});

export type MeroNodeView = z.infer<typeof MeroNodeView>;

/** The configuration that a process needs to run: the file on its host, and the variables in it, in order. */
export const ProcessConfiguration = z.strictObject({
  process: Fid,
  host: Fqdn,
  file: z.string(),
  variables: z.array(z.strictObject({ name: z.string(), value: z.string() })),
});

export type ProcessConfiguration = z.infer<typeof ProcessConfiguration>;

const process = z.strictObject({ zone: ZoneName, fid: Fid });
/** A host by its name, the fid of its Mero node or the id of its node. */
const HostName = z.string().min(1).max(253);
const node = z.strictObject({ zone: ZoneName, node: HostName });
const RoleName = z.string().regex(/^[A-Za-z][\w.-]{0,63}$/, 'a name is a letter and up to 63 letters, digits or ._-');
const force = z.boolean().default(false);
const dryRun = z.boolean().default(false);
const done = z.strictObject({ done: z.boolean(), because: z.string() });
/** `gone` are removed now. `stopping` stop first, and are removed then. For a dry run both are what would happen. */
const removal = z.strictObject({
  done: z.boolean(),
  because: z.string(),
  gone: z.array(Fid),
  stopping: z.array(Fid),
  /**
   * Whether the node has gone with its last process. For a process: whether it was the last one of a node that is being
   * removed.
   */
  nodeGone: z.boolean(),
});
const noProcess = ['unknown-zone', 'not-a-storage-zone', 'unknown-process', 'invalid'] as const;
const noNode = ['unknown-zone', 'not-a-storage-zone', 'unknown-node', 'invalid', 'not-yet'] as const;
const orNothing = z.strictObject({}).default({});

/** Operators' orders about single processes and hosts of a storage cluster. */
export const adminMeroProcessRoutes = {
  addMeroProcesses: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/mero/processes',
    summary:
      'Add the processes of roles to a host, all or none, and return the configuration that each needs to run. The Mero node comes with the first of them. Muster starts managed processes as the level of the cluster says; the owners of unmanaged ones start those',
    scope: 'operate',
    params: z.strictObject({ zone: ZoneName }),
    body: z.strictObject({
      node: HostName,
      roles: z.array(RoleName).min(1).max(16),
      /**
       * Variables of the roles, which override those of the host and of the roles themselves, such as `multiplicity`.
       */
      set: z
        .record(
          z.string().regex(/^[A-Za-z_]\w{0,63}$/, 'the name of a variable has letters, digits and _'),
          z.union([z.string().max(4_096), z.number(), z.boolean()]),
        )
        .default({}),
      /** Returns what would be added, and adds nothing. */
      dryRun,
    }),
    reply: z.strictObject({
      done: z.boolean(),
      because: z.string(),
      node: z.strictObject({ fid: Fid, host: Fqdn, isNew: z.boolean() }),
      processes: z.array(ProcessConfiguration),
    }),
    statuses: [201, 200],
    errors: [...noNode, 'unknown-role', 'refused'],
  }),
  getMeroProcess: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/mero/processes/{fid}',
    summary: 'A process of a storage cluster: its state and its goal',
    scope: 'read',
    params: process,
    reply: MeroProcessView,
    statuses: [200],
    errors: noProcess,
  }),
  getMeroConfiguration: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/mero/processes/{fid}/configuration',
    summary: 'The configuration that a process needs to run: the same that its addition returned',
    scope: 'read',
    params: process,
    reply: ProcessConfiguration,
    statuses: [200],
    errors: noProcess,
  }),
  startMeroProcess: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/mero/processes/{fid}/start',
    summary: 'Start a process; an unmanaged one only this once',
    scope: 'operate',
    params: process,
    body: orNothing,
    reply: done,
    statuses: [202],
    errors: [...noProcess, 'refused'],
  }),
  stopMeroProcess: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/mero/processes/{fid}/stop',
    summary:
      'Stop a process until it is started again. Refused for an unmanaged process, and, unless forced, if the cluster would lose its liveness',
    scope: 'operate',
    params: process,
    body: z.strictObject({ force }).default({ force: false }),
    reply: done,
    statuses: [202],
    errors: [...noProcess, 'refused'],
  }),
  removeMeroProcess: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/mero/processes/{fid}/remove',
    summary: 'Remove a process for good. A managed process is stopped first; an unmanaged one is refused until it is offline or failed',
    scope: 'operate',
    params: process,
    body: z.strictObject({ force, dryRun }).default({ force: false, dryRun: false }),
    reply: removal,
    statuses: [202],
    errors: [...noProcess, 'refused'],
  }),
  getMeroNode: route({
    method: 'GET',
    path: '/api/v1/zones/{zone}/mero/nodes/{node}',
    summary: 'A host of a storage cluster with its processes',
    scope: 'read',
    params: node,
    reply: MeroNodeView,
    statuses: [200],
    errors: noNode,
  }),
  startMeroNode: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/mero/nodes/{node}/start',
    summary: 'Let the processes of a host run again as far as the level of the cluster allows',
    scope: 'operate',
    params: node,
    body: orNothing,
    reply: done,
    statuses: [202],
    errors: [...noNode, 'refused'],
  }),
  stopMeroNode: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/mero/nodes/{node}/stop',
    summary:
      'Stop all managed processes of a host until it is started again. Refused, unless forced, if the cluster would lose its liveness',
    scope: 'operate',
    params: node,
    body: z.strictObject({ force, reason: z.string().min(1).max(200).optional() }).default({ force: false }),
    reply: done,
    statuses: [202],
    errors: [...noNode, 'refused'],
  }),
  removeMeroNode: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/mero/nodes/{node}/remove',
    summary:
      'Remove all processes of a host, and its Mero node with the last of them. Refused while unmanaged processes are neither offline nor failed: the refusal names them, and nothing is removed',
    scope: 'operate',
    params: node,
    body: z.strictObject({ force, dryRun }).default({ force: false, dryRun: false }),
    reply: removal,
    statuses: [202],
    errors: [...noNode, 'refused'],
  }),
  removeHalonNode: route({
    method: 'POST',
    path: '/api/v1/zones/{zone}/halon/nodes/{node}/remove',
    summary:
      'Remove all processes of a host and its Mero node, and then the node of that host. All endpoints refuse its key until it is let in again',
    scope: 'admin',
    params: node,
    body: z.strictObject({ force, dryRun }).default({ force: false, dryRun: false }),
    reply: removal,
    statuses: [202],
    errors: [...noNode, 'refused'],
  }),
} as const;
