import type { Fid } from '../../core/fid.ts';
import { levelMax } from '../clusters/cluster.ts';
import { bootLevel, type MeroProcess, type ProcessStateName } from '../processes/process.ts';

/** A process as levels see it: its kind, its state, and whether there is anything to wait for. */
export type LevelProcess = Pick<MeroProcess, 'fid' | 'host' | 'type' | 'services'> & {
  readonly state: ProcessStateName | 'inhibited';
  /**
   * No report about it can come at present: its host's node is down, was given up, or never called in; or no report
   * about it has ever come.
   */
  readonly isAway: boolean;
  /**
   * An operator stopped or removes it, or stopped its host: however high the level, the cluster does not wait for it to
   * run.
   */
  readonly isUnwanted: boolean;
};

/** Level −1 to 3, see `lib/mero/clusters/cluster.ts`. */
export type LevelNumber = -1 | 0 | 1 | 2 | 3;

/** How many confds there are, and how many of them are online. */
type Quorum = { readonly online: number; readonly confds: number };

const isOnline = ({ state }: LevelProcess): boolean => state === 'online';
const hosts = ({ services }: LevelProcess, type: string): boolean => services.some((service) => service.type === type);
const isConfd = (process: LevelProcess): boolean => bootLevel(process) === 0;

/**
 * How many confds there are, and how many are online. Confds that an operator stopped count as well: a quorum is of
 * all.
 */
export function quorumOf(processes: readonly LevelProcess[]): Quorum {
  const confds = processes.filter(isConfd);
  return { online: confds.filter(isOnline).length, confds: confds.length };
}

/** Whether confds can agree: more than half of them are online, or there are none. */
export const hasQuorum = ({ online, confds }: Quorum): boolean => confds === 0 || online * 2 > confds;

/**
 * The principal resource manager: the RMS service of an online confd. It stays the principal as long as its confd is
 * online; then the first of the others follows.
 */
export function principalOf(current: Fid | undefined, processes: readonly LevelProcess[]): Fid | undefined {
  const candidates = processes.filter((process) => isConfd(process) && isOnline(process)).flatMap(resourceManagers);
  return candidates.find((fid) => fid === current) ?? candidates[0];
}

const resourceManagers = ({ services }: LevelProcess): Fid[] => services.flatMap(({ type, fid }) => (type === 'CST_RMS' ? [fid] : []));

/** The inputs of levels: all processes, and the service that is the principal resource manager. */
export type LevelView = { readonly processes: readonly LevelProcess[]; readonly principal: Fid | undefined };

/**
 * Whether the processes of this level are there as those above need them: a quorum of the confds, or each of the
 * others.
 */
export function isThere(level: number, { processes, principal }: LevelView): boolean {
  if (level > 0) return processes.every((process) => bootLevel(process) !== level || process.isUnwanted || isOnline(process));
  const quorum = quorumOf(processes);
  return hasQuorum(quorum) && (quorum.confds === 0 || principal !== undefined);
}

/** Whether a cluster at the level below may rise to this one. */
export function mayRiseTo(level: number, view: LevelView): boolean {
  if (level === 0) return true;
  // Managed applications store their metadata in CAS services; nothing needs kernel clients.
  if (level === levelMax)
    return view.processes.every((process) => !hosts(process, 'CST_CAS') || !isDriven(process) || process.isUnwanted || isOnline(process));
  return isThere(level - 1, view);
}

const isDriven = (process: LevelProcess): boolean => bootLevel(process) !== undefined;

/** The level up to which everything is there that must be, none above the wanted one. */
export function reachedUp(level: number, view: LevelView): LevelNumber {
  let reached = -1;
  while (reached < level && isThere(reached + 1, view)) reached += 1;
  return reached as LevelNumber;
}

/**
 * Whether a process that Muster drives runs, as far as is known. An unknown process on a host that is heard may run,
 * and counts as running.
 */
export const runsNow = (process: LevelProcess): boolean =>
  isDriven(process) && !process.isAway && !['offline', 'failed', 'inhibited'].includes(process.state);

/** The level above which nothing runs. Processes of silent hosts do not count. */
export const reachedDown = (processes: readonly LevelProcess[]): LevelNumber =>
  Math.max(-1, ...processes.filter(runsNow).map((process) => bootLevel(process)!)) as LevelNumber;

/**
 * The processes that a cluster waits for on its way up to a level, or at it: those that must run and are not online.
 */
export const awaitedUp = (level: number, processes: readonly LevelProcess[]): readonly LevelProcess[] =>
  processes.filter((process) => isDriven(process) && bootLevel(process)! <= level && !process.isUnwanted && !isOnline(process));

/** The processes that a cluster waits for on its way down: those that run above the level. */
export const awaitedDown = (level: number, processes: readonly LevelProcess[]): readonly LevelProcess[] =>
  processes.filter((process) => runsNow(process) && bootLevel(process)! > level);
