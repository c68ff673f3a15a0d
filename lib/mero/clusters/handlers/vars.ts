import type { AdminCall } from '../../../access/verify-admin.ts';
import { Refusal } from '../../../api/problem.ts';
import { nothing, write } from '../../../core/decision.ts';
import { apply } from '../../../runtime/apply.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { clusterRef, newCluster, type StorageCluster } from '../cluster.ts';
import { clusterOf } from '../reads/of-caller.ts';
import { isVarName, type VarName, varFault, varIn, vars } from '../rows/vars.ts';
import type { VarView } from '../vars-routes.ts';

/** The variables of a storage cluster. */
export async function getMeroVars({ params, caller }: AdminCall<'getMeroVars'>, shell: Shell): Promise<Answer> {
  const { cluster } = await clusterOf(shell, params.zone, caller);
  return varsAnswer(cluster);
}

/** Sets variables. Throws a {@link Refusal} for an unknown name, and for a value that a variable cannot have. */
export async function editMeroVars({ params, body, request, caller }: AdminCall<'editMeroVars'>, shell: Shell): Promise<Answer> {
  await clusterOf(shell, params.zone, caller);
  refuseWrong(body.vars);
  const { state } = await apply(shell, clusterRef(params.zone), request, (stored, _call, now) => {
    const cluster = stored ?? newCluster(params.zone, now);
    const set = Object.entries(body.vars).filter(([name, value]) => (cluster.vars[name] ?? null) !== value);
    if (set.length === 0) return nothing('the variables have these values already');
    const given = Object.entries({ ...cluster.vars, ...body.vars }).flatMap(([name, value]) => (value === null ? [] : [[name, value]]));
    // Agents get time-outs with their desired state, and so must read it again.
    return write({ ...cluster, vars: Object.fromEntries(given), goals: cluster.goals + 1 }, `${set.map(([name]) => name).join(', ')} set`);
  });
  return varsAnswer(state ?? newCluster(params.zone, shell.now()));
}

function refuseWrong(given: Readonly<Record<string, number | boolean | null>>): void {
  const errors = Object.entries(given).flatMap(([name, value]) => {
    const pointer = `/vars/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!isVarName(name)) return [{ pointer, detail: 'there is no such variable' }];
    const fault = value === null ? undefined : varFault(name, value);
    return fault === undefined ? [] : [{ pointer, detail: fault }];
  });
  if (errors.length > 0) throw new Refusal('invalid', errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join('; '), { errors });
}

const varsAnswer = (cluster: StorageCluster): Answer => {
  const items: VarView[] = (Object.keys(vars) as VarName[]).map((name) => ({ name, value: varIn(cluster, name), ...vars[name] }));
  return { status: 200, body: { items } };
};
