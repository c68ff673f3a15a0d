import type { Plan } from '../../core/decision.ts';
import type { Node } from '../../nodes/node.ts';
import { isAway } from '../../nodes/rows/away.ts';
import { apply } from '../../runtime/apply.ts';
import { applyPlan } from '../../runtime/apply-plan.ts';
import { read } from '../../runtime/read.ts';
import { restUntil } from '../../runtime/rest.ts';
import type { Shell } from '../../runtime/shell.ts';
import { haltOf } from '../../stations/rows/quorum.ts';
import { stationsRef } from '../../stations/stations.ts';
import { clusterRef, type StorageCluster } from '../clusters/cluster.ts';
import { isLate, type LevelPlan, planLevels } from '../clusters/plan.ts';
import { type ClusterNow, nodesByName, readCluster } from '../clusters/reads/cluster.ts';
import { levelProcesses } from '../clusters/reads/levels.ts';
import { isForgotten, tryAnew } from '../processes/forgotten.ts';
import { type MeroProcess, processId, processRef } from '../processes/process.ts';
import { goalOf } from '../processes/rows/goal.ts';
import { limitsOf } from '../processes/rows/limits.ts';

/** The most steps that are taken at once: more than there are levels. */
const stepsMax = 6;

/**
 * Takes a storage cluster's levels as far as they go now: a step that concerns no process leads to the next at once,
 * any other is waited for. Each step is a commit of the one row, fenced by its revision: its inputs were read after
 * that row.
 */
export async function planLevelsNow(shell: Shell, zone: string): Promise<void> {
  for (let step = 0; step < stepsMax; step++) {
    const planned = await planOnce(shell, zone);
    if (!planned) return;
    const { decision, goesOn } = planned;
    for (const process of planned.forgotten) await startAnew(shell, process, planned.before);
    if (decision.does === 'write') shell.log('info', 'levels.planned', { zone, because: decision.because });
    else if (isLate(planned.before, shell.now())) shell.log('warn', 'levels.late', { zone, because: decision.because });
    if (decision.does === 'nothing') return restUntil(shell, clusterRef(zone), { ...decision, rev: planned.rev });
    if (!goesOn) return;
  }
}

/**
 * A plan, the row that it was made from, and the processes that the restart rule gave up on and that must run with it.
 */
type Planned = Plan & LevelPlan & { readonly before: StorageCluster; readonly rev: number; readonly forgotten: readonly MeroProcess[] };

async function planOnce(shell: Shell, zone: string): Promise<Planned | undefined> {
  const id = `levels-${shell.newId()}`;
  const none: Plan = { changes: [], because: [] };
  const planned = await applyPlan<Plan | Planned>(shell, { id }, async (reading) => {
    const row = await reading.row(clusterRef(zone));
    const [now, nodes] = await Promise.all([readCluster(shell, zone), nodesByName(shell, zone)]);
    if (!now || !row) return none;
    const halted = now.cluster.stations && haltOf(await read(shell, stationsRef(zone)), shell.now());
    const made = planLevels(now.cluster, levelProcesses(now, nodes), shell.now(), halted);
    const changes = made.decision.does === 'write' ? [{ ref: clusterRef(zone), readRev: now.rev, decision: made.decision }] : [];
    const forgotten = forgottenIn(now, nodes, made.decision.does === 'write' ? made.decision.next : now.cluster);
    return { ...made, before: now.cluster, rev: now.rev, forgotten, changes, because: [made.decision.because] };
  });
  return 'decision' in planned ? planned : undefined;
}

/** How many processes are tried anew at one check of the levels; the others follow at the next. */
const anewAtOnce = 20;

/**
 * The processes that must run at these levels, and that the restart rule gave up on while they did not have to. A
 * process whose node is away waits until that is back.
 */
function forgottenIn({ processes, meroNodes }: ClusterNow, nodes: ReadonlyMap<string, Node>, cluster: StorageCluster): MeroProcess[] {
  const limits = limitsOf(cluster);
  return processes
    .filter((process) => {
      const goal = goalOf(process, cluster, meroNodes.get(process.host));
      return isForgotten(process, { goal, limits }) && !isAway(nodes.get(process.host));
    })
    .slice(0, anewAtOnce);
}

async function startAnew(shell: Shell, process: MeroProcess, cluster: StorageCluster): Promise<void> {
  const surroundings = { goal: 'run', limits: limitsOf(cluster) } as const;
  const input = { id: `anew-${shell.newId()}` };
  const ref = processRef(processId(process));
  await apply(shell, ref, input, (state, _input, now) => tryAnew(state, surroundings, now));
}
