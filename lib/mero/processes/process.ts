import * as z from 'zod';
import { reportId } from '../../../events/define.ts';
import { Fid } from '../../core/fid.ts';
import { Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs } from '../../core/time.ts';
import { natural, ProcessType } from '../facts/process.ts';

/**
 * The state of a process as its row stores it. *Inhibited* is not among the states: it is computed from the node, see
 * `lib/mero/processes/rows/shown.ts`.
 */
export const ProcessState = z.discriminatedUnion('is', [
  z.strictObject({ is: z.literal('unknown') }),
  z.strictObject({ is: z.literal('offline') }),
  z.strictObject({ is: z.literal('starting') }),
  z.strictObject({ is: z.literal('online') }),
  z.strictObject({ is: z.literal('quiescing') }),
  z.strictObject({ is: z.literal('stopping') }),
  z.strictObject({ is: z.literal('failed'), reason: z.string().min(1).max(400) }),
]);
export type ProcessState = z.infer<typeof ProcessState>;
export type ProcessStateName = ProcessState['is'];

const every = [
  'unknown',
  'offline',
  'starting',
  'online',
  'quiescing',
  'stopping',
  'failed',
] as const satisfies readonly ProcessStateName[];
const alive = ['unknown', 'starting', 'online', 'quiescing', 'stopping'] as const satisfies readonly ProcessStateName[];

/**
 * Every move of a process: the states that it starts from, and the one that it leads to. A move that is not in this
 * table is refused with a reason. The diagram in docs/ and the property tests are read from it.
 */
export const processMoves = {
  starting: { from: every, to: 'starting' },
  online: { from: ['starting'], to: 'online' },
  /** Muster stops it, strictly in this order. */
  quiescing: { from: ['online'], to: 'quiescing' },
  stopping: { from: ['quiescing'], to: 'stopping' },
  stopped: { from: ['stopping'], to: 'offline' },
  /** It stops by itself. */
  'stopping by itself': { from: ['starting', 'online', 'quiescing'], to: 'stopping' },
  /** The process whose pid is on record has ended: an unmanaged one may end at any time, a managed one has failed. */
  'exited unmanaged': { from: ['starting', 'online', 'quiescing'], to: 'offline' },
  'exited managed': { from: ['starting', 'online', 'quiescing'], to: 'failed' },
  failed: { from: alive, to: 'failed' },
  /** The report of its failure overtook the report of its start: it is the first about this attempt. */
  'failed to start': { from: ['offline'], to: 'failed' },
  /** Its node is back without it. */
  'node failure': { from: ['starting', 'online', 'quiescing', 'stopping'], to: 'failed' },
  /** Its node was dropped or removed while the process was inhibited. */
  'node lost': { from: alive, to: 'failed' },
  /** The agent's table lists it, with the pid and start on record, or does not list it. */
  'resync starting': { from: every, to: 'starting' },
  'resync online': { from: every, to: 'online' },
  'resync stopping': { from: every, to: 'stopping' },
  'resync absent': { from: ['unknown'], to: 'offline' },
  /** An operator resets its state: its host reports it anew. */
  forgotten: { from: every, to: 'unknown' },
} as const satisfies Record<string, { readonly from: readonly ProcessStateName[]; readonly to: ProcessStateName }>;
export type ProcessMove = keyof typeof processMoves;

/** A Mero service of a process. Its state follows from its process's; `failed` is one that failed by itself. */
export const MeroService = z.strictObject({ fid: Fid, type: z.string(), failed: z.literal(true).optional() });
export type MeroService = z.infer<typeof MeroService>;

const Variable = z.strictObject({ name: z.string(), value: z.string() });
/** Limits of memory in bytes, 0 for none, as far as they are given. */
const Memory = z.strictObject({
  as: natural.optional(),
  rss: natural.optional(),
  stack: natural.optional(),
  memlock: natural.optional(),
});

/**
 * A Mero process: its configuration, the orders about it, and its state. About 1 KB; its devices have a row of their
 * own, which never changes.
 */
export const MeroProcess = z.strictObject({
  fid: Fid,
  zone: ZoneName,
  /** The host that runs it; its Mero node is the row `mero-node` of that name. */
  host: Fqdn,
  type: ProcessType,
  endpoint: z.string(),
  memory: Memory,
  cores: z.array(natural),
  environment: z.array(Variable),
  services: z.array(MeroService).min(1),
  /** How many devices its services have; they are in the row `devices` of its fid. */
  devices: z.int().nonnegative(),
  /**
   * The load that wrote it: readers see it once the cluster's row names that load. Absent for a process that was added
   * by itself.
   */
  load: z.string().optional(),
  /** The role that it was added by. */
  role: z.string().optional(),
  state: ProcessState,
  /** When it came into that state. */
  since: EpochMs,
  /**
   * The running process that its state is about: its pid, and when that began by its kernel, which distinguishes two of
   * the same pid.
   */
  running: z.strictObject({ pid: z.int().positive(), born: z.string().max(64).optional() }).optional(),
  /** The node and boot of the last report, and the number of that report; older ones are ignored. */
  heard: z.strictObject({ node: NodeId, incarnation: z.int().positive(), seq: z.int().nonnegative() }).optional(),
  /** The last report without such a number, by the bus, and when it came; an older or repeated one is ignored. */
  word: z.strictObject({ at: EpochMs, report: reportId }).optional(),
  /**
   * How often Muster has ordered its start: the agent starts it once for each. It grows with each attempt of the
   * restart rule, and with each operator's order.
   */
  start: z.int().nonnegative(),
  /** An operator stopped it: it stays stopped, whatever the level, until an operator starts it. */
  stopped: z.literal(true).optional(),
  /**
   * An operator removes it: it is stopped first. If it has not stopped by `removeBy`, it has failed, and goes all the
   * same.
   */
  removing: z.literal(true).optional(),
  removeBy: EpochMs.optional(),
  /**
   * Attempts of the restart rule since it was last online for a while (see `lib/mero/processes/rows/limits.ts`), and
   * when the next is due.
   */
  attempts: z.int().nonnegative().optional(),
  retryAt: EpochMs.optional(),
});
export type MeroProcess = z.infer<typeof MeroProcess>;

/** The id of a process's row. */
export const processId = ({ zone, fid }: { readonly zone: string; readonly fid: string }): string => `${zone}/${fid}`;

/**
 * Whether Muster starts and stops it: all processes but independent applications and Halon's own, which is the agent.
 */
export const isManaged = ({ type }: Pick<MeroProcess, 'type'>): boolean =>
  type.tag !== 'PLHalon' && !(type.tag === 'PLClovis' && type.contents[1] === 'Independent');

/** Whether it represents the agent of its node. */
export const isHalon = ({ type }: Pick<MeroProcess, 'type'>): boolean => type.tag === 'PLHalon';

/**
 * The level at which it starts: 0 confd, 1 other servers, 2 kernel clients, 3 managed applications; undefined for a
 * process that Muster does not manage.
 */
export function bootLevel({ type }: Pick<MeroProcess, 'type'>): 0 | 1 | 2 | 3 | undefined {
  if (!isManaged({ type })) return undefined;
  if (type.tag === 'PLM0d') return type.contents === 0 ? 0 : 1;
  return type.tag === 'PLM0t1fs' ? 2 : 3;
}

/** The devices of a process's services: written with it, never changed. Sizes in bytes. */
export const ProcessDevices = z.strictObject({
  load: z.string().optional(),
  services: z.array(
    z.strictObject({
      service: Fid,
      devices: z.array(
        z.strictObject({
          fid: Fid,
          wwn: z.string(),
          serial: z.string(),
          path: z.string(),
          blockSize: z.int().positive(),
          size: z.int().positive(),
          slot: natural.optional(),
        }),
      ),
    }),
  ),
});
export type ProcessDevices = z.infer<typeof ProcessDevices>;

/** The row of a process, by {@link processId}. */
export const processRef = refOf('process', MeroProcess);

/** The devices of a process, by {@link processId}. */
export const devicesRef = refOf('devices', ProcessDevices);
