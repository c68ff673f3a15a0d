import type { StorageCluster } from '../clusters/cluster.ts';
import { isLate, type LevelPlan, planLevels } from '../clusters/plan.ts';
import type { Plan } from '../decision.ts';
import { nodesByName, readCluster } from '../doors/cluster.ts';
import { levelProcesses } from '../doors/levels.ts';
import { applyPlan } from '../runtime/apply-plan.ts';
import { stateOf } from '../runtime/content.ts';
import type { Shell } from '../runtime/shell.ts';
import { haltOf } from '../stations/quorum.ts';
import { type Stations, stationsRef } from '../stations/stations.ts';
import { keyOf } from '../table/keys.ts';
import { clusterRef } from '../zones/create.ts';
import { restUntil } from './rest.ts';

/** More steps than levels nobody takes at once. */
const stepsMax = 6;

/**
 * Takes a storage cluster's levels as far as they go now: a step that concerns nobody leads to the next at once, any other is waited for. Each
 * is a commit of the one row, fenced by its revision: what it rests on was read after that.
 */
export async function planLevelsNow(shell: Shell, zone: string): Promise<void> {
  for (let step = 0; step < stepsMax; step++) {
    const planned = await planOnce(shell, zone);
    if (!planned) return;
    const { decision, goesOn } = planned;
    if (decision.does === 'write') shell.log('info', 'levels.planned', { zone, because: decision.because });
    else if (isLate(planned.before, shell.now())) shell.log('warn', 'levels.late', { zone, because: decision.because });
    if (decision.does === 'nothing') return restUntil(shell, clusterRef(zone), { ...decision, rev: planned.rev });
    if (!goesOn) return;
  }
}

/** A plan, and the row that it was made from. */
type Planned = Plan & LevelPlan & { readonly before: StorageCluster; readonly rev: number };

async function planOnce(shell: Shell, zone: string): Promise<Planned | undefined> {
  const id = `levels-${shell.newId()}`;
  const none: Plan = { changes: [], because: [] };
  const planned = await applyPlan<Plan | Planned>(shell, { id }, async (reading) => {
    const row = await reading.row(clusterRef(zone));
    const [now, nodes] = await Promise.all([readCluster(shell, zone), nodesByName(shell, zone)]);
    if (!now || !row) return none;
    const halted =
      now.cluster.stations && haltOf(stateOf<Stations>(await shell.table.read(keyOf(stationsRef(zone))), shell.now()), shell.now());
    const made = planLevels(now.cluster, levelProcesses(now, nodes), shell.now(), halted);
    const changes = made.decision.does === 'write' ? [{ ref: clusterRef(zone), readRev: now.rev, decision: made.decision }] : [];
    return { ...made, before: now.cluster, rev: now.rev, changes, because: [made.decision.because] };
  });
  return 'decision' in planned ? planned : undefined;
}
