import * as z from 'zod';
import { Fid } from '../facts/fid.ts';
import { ProcessType } from '../facts/process.ts';
import { HalonRole } from '../facts/roles/halon-role.ts';
import { MeroRole } from '../facts/roles/mero-role.ts';
import { Fqdn, NodeId } from '../ids.ts';
import { Moment } from './views.ts';

/** What a process is doing as it is shown: with its node's loss taken in. */
export const ShownStateName = z.enum(['unknown', 'offline', 'starting', 'online', 'quiescing', 'stopping', 'failed', 'inhibited']);

/** A process of a storage cluster as the API and the CLI show it. */
export const MeroProcessView = z.strictObject({
  fid: Fid,
  host: Fqdn,
  type: ProcessType,
  /** What units and files of it are called by. */
  prefix: z.string(),
  endpoint: z.string(),
  /** The role that it was added by; absent for one of the facts. */
  role: z.string().optional(),
  /** Muster starts and stops it. */
  managed: z.boolean(),
  state: ShownStateName,
  /** Why it has failed, or what it was before its node was lost. */
  reason: z.string().optional(),
  previous: ShownStateName.optional(),
  since: Moment,
  /** When the rule starts it once more; absent of one that it leaves alone. */
  retryAt: Moment.optional(),
  /** What is wanted of it; absent for Halon's own. */
  goal: z.enum(['run', 'stop', 'watch']).optional(),
  /** How often it was wanted started. */
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
  /** An operator has stopped it, or removes it; with `host` the node, too. */
  stopped: z.literal(true).optional(),
  removing: z.strictObject({ host: z.boolean(), by: Moment }).optional(),
  processes: z.array(MeroProcessView),
});
export type MeroNodeView = z.infer<typeof MeroNodeView>;

/** What a process must be told to run: the file on its host, and the variables in it, in order. */
export const ProcessConfiguration = z.strictObject({
  process: Fid,
  host: Fqdn,
  file: z.string(),
  variables: z.array(z.strictObject({ name: z.string(), value: z.string() })),
});
export type ProcessConfiguration = z.infer<typeof ProcessConfiguration>;

const RoleOrigin = z.enum(['muster', 'put', 'over']);
/** Roles of a catalogue and whence each is: it came with Muster, was put, or was put over one that came with Muster. */
export const MeroRoleView = z.strictObject({ origin: RoleOrigin, role: MeroRole });
export const HalonRoleView = z.strictObject({ origin: RoleOrigin, role: HalonRole });
