import type { StorageCluster } from '../../../lib/clusters/cluster.ts';
import type { MeroNode } from '../../../lib/mero-nodes/mero-node.ts';
import { goalOf } from '../../../lib/processes/goal.ts';
import { limitsOf } from '../../../lib/processes/limits.ts';
import { isHalon, type MeroProcess } from '../../../lib/processes/process.ts';
import type { Invariant } from './invariant.ts';
import { standing } from './process-rows.ts';

/** The row may be right about a process that is dead, and a machine may run what nobody wants: only both together are what an operator asked for. */
export const asWanted: Invariant = {
  name: 'processes-are-as-wanted-at-the-end',
  says: 'once faults have ended, what is wanted to run runs and is online in its row with that pid, or has failed in spite of every attempt; what is to stop does not run, unless it does not listen; and no host runs what is not its own, unless its launcher started it',
  begin: ({ world }) => ({
    unrest: () => {
      const clusters = new Map(standing<StorageCluster>(world(), 'cluster').map(({ state }) => [state.zone as string, state]));
      const meroNodes = new Map(standing<MeroNode>(world(), 'node').map(({ state }) => [state.fqdn as string, state]));
      const rows = standing<MeroProcess>(world(), 'process').map(({ state }) => state);
      const unrest = rows.flatMap((process) => {
        const host = world().hosts.find(({ fqdn }) => fqdn === process.host);
        const cluster = clusters.get(process.zone);
        if (!host?.processes || !cluster || isHalon(process)) return [];
        const goal = goalOf(process, cluster, meroNodes.get(process.host));
        const runs = host.processes.running.get(process.fid);
        const what = whyUnlike(process, goal, runs);
        return what ? [`${process.fid} on ${host.name}, wanted to ${goal}, ${what}`] : [];
      });
      const known = new Set<string>(rows.map(({ fid }) => fid));
      const strangers = world().hosts.flatMap(({ name, processes }) =>
        [...(processes?.running ?? [])]
          .filter(([fid, { launched, is }]) => !launched && is !== 'stopping' && !known.has(fid))
          .map(([fid]) => `${name} runs ${fid}, which is not there`),
      );
      return [...unrest, ...strangers];
    },
  }),
};

type Runs = { readonly life: { readonly pid: number }; readonly is: string } | undefined;

function whyUnlike(
  { state, running, retryAt, attempts = 0 }: MeroProcess,
  goal: ReturnType<typeof goalOf>,
  runs: Runs,
): string | undefined {
  // One that was told to stop and does not is known as failed; nobody can do more about it from here.
  if (state.is === 'failed' && runs?.is === 'stopping') return undefined;
  if (goal === 'watch')
    return isAlike(state.is, running, runs) ? undefined : `is ${state.is}, and ${runs ? `is ${runs.is}` : 'does not run'}`;
  if (goal === 'stop') return runs ? `runs with pid ${runs.life.pid}` : hasEnded(state) ? undefined : `is ${state.is}`;
  if (state.is === 'failed' && retryAt === undefined && attempts >= attemptsMax)
    return runs && `has failed, and runs with pid ${runs.life.pid}`;
  if (state.is !== 'online') return `is ${state.is} after ${attempts} attempts`;
  return running?.pid === runs?.life.pid ? undefined : `is online as pid ${running?.pid}, and runs as ${runs?.life.pid}`;
}

const hasEnded = ({ is }: MeroProcess['state']): boolean => is === 'offline' || is === 'failed';
const { attemptsMax } = limitsOf({ vars: {} });

const isAlike = (is: string, running: MeroProcess['running'], runs: Runs): boolean =>
  runs ? is === runs.is && running?.pid === runs.life.pid : is === 'offline' || is === 'failed' || is === 'unknown';
