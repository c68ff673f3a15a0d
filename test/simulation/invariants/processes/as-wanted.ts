import type { EpochMs } from '../../../../lib/core/time.ts';
import { isLive, type StorageCluster } from '../../../../lib/mero/clusters/cluster.ts';
import type { MeroNode } from '../../../../lib/mero/nodes/mero-node.ts';
import { isHalon, type MeroProcess } from '../../../../lib/mero/processes/process.ts';
import { goalOf } from '../../../../lib/mero/processes/rows/goal.ts';
import { limitsOf } from '../../../../lib/mero/processes/rows/limits.ts';
import type { World } from '../../world/world.ts';
import type { Invariant } from '../invariant.ts';
import { standing } from '../process-rows.ts';

/**
 * The row may be right about a process that is dead, and a machine may run what nobody wants: only both together are
 * what an operator asked for.
 */
export const asWanted: Invariant = {
  name: 'processes-are-as-wanted-at-the-end',
  says: 'once faults have ended, what is wanted to run runs and is online in its row with that pid, or has failed in spite of every attempt since its host was last switched on; what is to stop does not run, unless it does not listen; and no host runs what is not its own, unless its launcher started it',
  begin: ({ kernel, world }) => {
    /** When each was started last, by its host and fid. */
    const startedAt = new Map<string, EpochMs>();
    return {
      ran: ({ host, process, does }) => void (does === 'start' && startedAt.set(`${host} ${process}`, kernel.now)),
      unrest: () => {
        const clusters = new Map(standing<StorageCluster>(world(), 'cluster').map(({ state }) => [state.zone as string, state]));
        const meroNodes = new Map(standing<MeroNode>(world(), 'node').map(({ state }) => [state.fqdn as string, state]));
        const rows = standing<MeroProcess>(world(), 'process').flatMap(({ state }) => {
          const cluster = clusters.get(state.zone);
          return cluster && isLive(state, cluster) ? [state] : [];
        });
        const unrest = rows.flatMap((process) => {
          const host = world().hosts.find(({ fqdn }) => fqdn === process.host);
          if (!host?.processes || isHalon(process)) return [];
          const goal = goalOf(process, clusters.get(process.zone)!, meroNodes.get(process.host));
          const { running, rebootedAt = 0 } = host.processes;
          const isTried = (startedAt.get(`${host.name} ${process.fid}`) ?? 0) >= rebootedAt;
          const what = whyUnlike(process, goal, { runs: running.get(process.fid), isTried });
          return what ? [`${process.fid} on ${host.name}, wanted to ${goal}, ${what}`] : [];
        });
        return [...unrest, ...strangersOn(world(), new Set<string>(rows.map(({ fid }) => fid)))];
      },
    };
  },
};

/** What hosts run that is not there for anybody. */
const strangersOn = ({ hosts }: World, known: ReadonlySet<string>): string[] =>
  hosts.flatMap(({ name, processes }) =>
    [...(processes?.running ?? [])]
      .filter(([fid, { launched, is }]) => !launched && is !== 'stopping' && !known.has(fid))
      .map(([fid]) => `${name} runs ${fid}, which is not there`),
  );

type Runs = { readonly life: { readonly pid: number }; readonly is: string } | undefined;

function whyUnlike(
  { state, running, retryAt, attempts = 0 }: MeroProcess,
  goal: ReturnType<typeof goalOf>,
  { runs, isTried }: { readonly runs: Runs; readonly isTried: boolean },
): string | undefined {
  // One that was told to stop and does not is known as failed; nobody can do more about it from here.
  if (state.is === 'failed' && runs?.is === 'stopping') return undefined;
  if (goal === 'watch')
    return isAlike(state.is, running, runs) ? undefined : `is ${state.is}, and ${runs ? `is ${runs.is}` : 'does not run'}`;
  if (goal === 'stop') return runs ? `runs with pid ${runs.life.pid}` : hasEnded(state) ? undefined : `is ${state.is}`;
  if (state.is === 'failed' && retryAt === undefined && attempts >= attemptsMax) return whyGivenUp(runs, isTried);
  if (state.is !== 'online') return `is ${state.is} after ${attempts} attempts`;
  return running?.pid === runs?.life.pid ? undefined : `is online as pid ${running?.pid}, and runs as ${runs?.life.pid}`;
}

const whyGivenUp = (runs: Runs, isTried: boolean): string | undefined =>
  runs
    ? `has failed, and runs with pid ${runs.life.pid}`
    : isTried
      ? undefined
      : 'has failed, and was not started since its host was rebooted';

const hasEnded = ({ is }: MeroProcess['state']): boolean => is === 'offline' || is === 'failed';
const { attemptsMax } = limitsOf({ vars: {} });

const isAlike = (is: string, running: MeroProcess['running'], runs: Runs): boolean =>
  runs ? is === runs.is && running?.pid === runs.life.pid : is === 'offline' || is === 'failed' || is === 'unknown';
