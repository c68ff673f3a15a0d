import type { Fid } from '../../core/fid.ts';
import { levelMax } from '../clusters/cluster.ts';
import { bootLevel, type MeroProcess, type ProcessStateName } from '../processes/process.ts';

/** A process as levels see it: what it is, what it is doing, and whether there is anybody to wait for. */
export type LevelProcess = Pick<MeroProcess, 'fid' | 'host' | 'type' | 'services'> & {
  readonly state: ProcessStateName | 'inhibited';
  /**
   * Nobody speaks for it at present: its host's node is down, was given up, or never called in; or nobody has ever
   * spoken of it.
   */
  readonly isAway: boolean;
  /**
   * An operator wants it stopped or removed, or its host stopped: however high the level, nobody waits for it to run.
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
 * How many confds there are, and how many are online. Those that an operator stopped count as well: a quorum is of all.
 */
export function quorumOf(processes: readonly LevelProcess[]): Quorum {
  const confds = processes.filter(isConfd);
  return { online: confds.filter(isOnline).length, confds: confds.length };
}

/** Whether confds can agree: more than half of them are online, or there are none. */
export const hasQuorum = ({ online, confds }: Quorum): boolean => confds === 0 || online * 2 > confds;

/**
 * The principal resource manager: the RMS service of an online confd. Whoever is it stays it as long as its confd is
 * online; then the first of the others is.
 */
export function principalOf(current: Fid | undefined, processes: readonly LevelProcess[]): Fid | undefined {
  const candidates = processes.filter((process) => isConfd(process) && isOnline(process)).flatMap(resourceManagers);
  return candidates.find((fid) => fid === current) ?? candidates[0];
}

const resourceManagers = ({ services }: LevelProcess): Fid[] => services.flatMap(({ type, fid }) => (type === 'CST_RMS' ? [fid] : []));

/** What levels are told by: all processes, and who is the principal resource manager. */
export type LevelView = { readonly processes: readonly LevelProcess[]; readonly principal: Fid | undefined };

/**
 * Whether processes of this level and below are there as those above need them: for confds that is a quorum, for others
 * each one.
 */
export function isThere(level: number, { processes, principal }: LevelView): boolean {
  if (level > 0) return processes.every((process) => bootLevel(process) !== level || process.isUnwanted || isOnline(process));
  const quorum = quorumOf(processes);
  return hasQuorum(quorum) && (quorum.confds === 0 || principal !== undefined);
}

/** Whether a cluster at the level below may go on to this one. */
export function mayRiseTo(level: number, view: LevelView): boolean {
  if (level === 0) return true;
  // Managed applications keep their metadata by CAS; kernel clients nobody needs.
  if (level === levelMax)
    return view.processes.every((process) => !hosts(process, 'CST_CAS') || !isDriven(process) || process.isUnwanted || isOnline(process));
  return isThere(level - 1, view);
}

const isDriven = (process: LevelProcess): boolean => bootLevel(process) !== undefined;

/** The level up to which everything is there that is to be, none above the one that is wanted. */
export function reachedUp(level: number, view: LevelView): LevelNumber {
  let reached = -1;
  while (reached < level && isThere(reached + 1, view)) reached += 1;
  return reached as LevelNumber;
}

/**
 * Processes that Muster drives and that run, as far as anybody could tell. Of what is unknown on a host that speaks, it
 * is not known that it does not.
 */
export const runsNow = (process: LevelProcess): boolean =>
  isDriven(process) && !process.isAway && !['offline', 'failed', 'inhibited'].includes(process.state);

/** The level above which nothing runs. Processes of hosts that nobody hears do not count. */
export const reachedDown = (processes: readonly LevelProcess[]): LevelNumber =>
  Math.max(-1, ...processes.filter(runsNow).map((process) => bootLevel(process)!)) as LevelNumber;

/** Whom a cluster on its way up to a level, or at it, waits for: whoever is to run and is not online. */
export const awaitedUp = (level: number, processes: readonly LevelProcess[]): readonly LevelProcess[] =>
  processes.filter((process) => isDriven(process) && bootLevel(process)! <= level && !process.isUnwanted && !isOnline(process));

/** Whom a cluster on its way down waits for: whoever runs above the level. */
export const awaitedDown = (level: number, processes: readonly LevelProcess[]): readonly LevelProcess[] =>
  processes.filter((process) => runsNow(process) && bootLevel(process)! > level);
