import { type Decision, nothing, write } from '../../core/decision.ts';
import { type EpochMs, earlier, minuteMs, plusMs, secondMs } from '../../core/time.ts';
import {
  awaitedDown,
  awaitedUp,
  type LevelNumber,
  type LevelProcess,
  type LevelView,
  mayRiseTo,
  principalOf,
  quorumOf,
  reachedDown,
  reachedUp,
} from '../levels/levels.ts';
import { bootLevel } from '../processes/process.ts';
import { levelMax, type StorageCluster } from './cluster.ts';
import { varMs } from './rows/vars.ts';

/**
 * How often the processes are checked while a level is under way, whether or not reports come, in ms: about a sweep.
 */
export const lookMs = 5 * secondMs;
/**
 * How often they are checked while nothing is under way, or when a step takes too long, in ms: an unreported change is
 * seen within a minute.
 */
export const slowLookMs = minuteMs;

/**
 * The outcome of a plan of levels: the decision about the cluster's row, and the processes that the cluster then waits
 * for.
 */
export type LevelPlan = {
  readonly decision: Decision<StorageCluster>;
  readonly awaited: readonly LevelProcess[];
  /** No process is at the level just reached: the plan can be made again at once, with the same processes. */
  readonly goesOn: boolean;
};

/**
 * Plans the next step of a cluster: at most one level, upwards while it must be ONLINE, downwards while it must be
 * OFFLINE, and never down because of a failure. `processes` are those of the cluster in the order of their numbers;
 * `halted` is why no level may change now.
 */
export function planLevels(cluster: StorageCluster, processes: readonly LevelProcess[], now: EpochMs, halted?: string): LevelPlan {
  const principal = principalOf(cluster.principal, processes);
  const view = { processes, principal };
  const isUp = cluster.disposition === 'ONLINE';
  const level = halted !== undefined ? cluster.level : isUp ? levelUp(cluster, view) : levelDown(cluster, processes, now);
  const reached = isUp ? reachedUp(level, view) : reachedDown(processes);
  const awaited = isUp ? awaitedUp(level, processes) : awaitedDown(level, processes);
  const isDone = awaited.length === 0 && level === reached && level === (isUp ? levelMax : -1);
  const underWaySince = isDone ? undefined : level === cluster.level ? (cluster.underWaySince ?? now) : now;
  const { principal: _before, underWaySince: _since, ...rest } = cluster;
  const next: StorageCluster = {
    ...rest,
    ...(level !== cluster.level && { level, levelSince: now, goals: cluster.goals + 1 }),
    reached,
    ...(principal !== undefined && { principal }),
    ...(underWaySince !== undefined && { underWaySince }),
  };
  const wakeAt = lookAt(next, now);
  const because = `${whyOf(next, view, awaited)}${halted === undefined ? '' : `; no level changes: ${halted}`}`;
  const goesOn = level !== cluster.level && processes.every((process) => bootLevel(process) !== (isUp ? level : level + 1));
  if (isAsBefore(cluster, next)) return { decision: nothing(because, wakeAt), awaited, goesOn: false };
  return { decision: write(next, because, { events: eventsOf(cluster, reached), wakeAt }), awaited, goesOn };
}

/** Whether the step that is under way takes longer than it may. */
export const isLate = (cluster: Pick<StorageCluster, 'underWaySince' | 'vars'>, now: EpochMs): boolean =>
  cluster.underWaySince !== undefined && now - cluster.underWaySince >= stepMs(cluster);

/** How long a level may take, in ms: the original's barrier. */
const stepMs = (cluster: Pick<StorageCluster, 'vars'>): number => varMs(cluster, 'node_stop_barrier_timeout');

const levelUp = ({ level }: StorageCluster, view: LevelView): LevelNumber =>
  (level < levelMax && mayRiseTo(level + 1, view) ? level + 1 : level) as LevelNumber;

/**
 * One level down once nothing runs above. If an operator forced the stop, a process that exceeded its time is left
 * behind and holds up no other step.
 */
function levelDown(cluster: StorageCluster, processes: readonly LevelProcess[], now: EpochMs): LevelNumber {
  const { level, forced } = cluster;
  const isHeld = awaitedDown(level, processes).some((process) => !forced || (bootLevel(process) === level + 1 && !isLate(cluster, now)));
  return (level === -1 || isHeld ? level : level - 1) as LevelNumber;
}

/** When to check a cluster again; never while it is OFFLINE and stopped. */
function lookAt(cluster: StorageCluster, now: EpochMs): EpochMs | undefined {
  const { disposition, underWaySince } = cluster;
  if (underWaySince === undefined) return disposition === 'OFFLINE' ? undefined : plusMs(now, slowLookMs);
  if (isLate(cluster, now)) return plusMs(now, slowLookMs);
  return earlier(plusMs(now, lookMs), plusMs(underWaySince, stepMs(cluster)));
}

/** The event of a level that is reached: on the way up, also again after a loss, and on the way down. */
function eventsOf({ zone, disposition, reached: before }: StorageCluster, reached: LevelNumber) {
  const isNews = disposition === 'ONLINE' ? reached > before : reached < before;
  return isNews ? [{ type: 'cluster.level-reached', version: 1, data: { zone, level: reached } }] : [];
}

const isAsBefore = (before: StorageCluster, next: StorageCluster): boolean =>
  before.level === next.level &&
  before.reached === next.reached &&
  before.principal === next.principal &&
  before.underWaySince === next.underWaySince;

/** How many of the processes that are waited for a sentence names. */
const namedMax = 3;

/** Why the cluster is at its level, and which processes it waits for. */
export function whyOf(
  { disposition, level }: Pick<StorageCluster, 'disposition' | 'level'>,
  view: LevelView,
  awaited: readonly LevelProcess[],
): string {
  const wanted = disposition === 'ONLINE' ? `level ${level} of ${levelMax}` : `down to level ${level}`;
  // A cluster whose confds were stopped on purpose waits for none of them, but what needs them is not well all the
  // same.
  const isQuorumMissing = disposition === 'ONLINE' && level >= 0 && !mayRiseTo(1, view);
  const isQuiet = awaited.length === 0 && !isQuorumMissing;
  const why = [
    ...(isQuorumMissing ? [quorumText(view)] : []),
    ...(awaited.length > 0 ? [`waits for ${named(awaited)}`] : []),
    ...(isQuiet ? [disposition === 'ONLINE' ? 'everything runs' : 'nothing above runs'] : []),
  ];
  return `${disposition}, ${wanted}: ${why.join('; ')}`;
}

function quorumText({ processes, principal }: LevelView): string {
  const { online, confds } = quorumOf(processes);
  const chosen = principal === undefined ? 'no principal resource manager is chosen' : `${principal} is the principal resource manager`;
  return `${online} of ${confds} confds are online, more than half are needed, and ${chosen}`;
}

function named(awaited: readonly LevelProcess[]): string {
  const first = awaited.slice(0, namedMax).map(({ fid, host, state }) => `${fid} on ${host} (${state})`);
  return [...first, ...(awaited.length > namedMax ? [`${awaited.length - namedMax} more`] : [])].join(', ');
}
