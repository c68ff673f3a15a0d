import type { AdminCall } from '../../../access/verify-admin.ts';
import { Refusal } from '../../../api/problem.ts';
import type { Concluded, Decision, PlannedChange } from '../../../core/decision.ts';
import { type Fid, readFid } from '../../../core/fid.ts';
import type { EpochMs } from '../../../core/time.ts';
import { applyPlan, type Reading } from '../../../runtime/apply-plan.ts';
import { changeOfRow, stateOf } from '../../../runtime/content.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { lookAtLevels } from '../../levels/changes.ts';
import type { Refused } from '../../processes/orders.ts';
import { type MeroProcess, processId, processRef } from '../../processes/process.ts';
import { goalOf } from '../../processes/rows/goal.ts';
import { limitsOf } from '../../processes/rows/limits.ts';
import { updateProcess, updateService } from '../../processes/update.ts';
import { type ClusterNow, readCluster } from '../reads/cluster.ts';
import { clusterOf } from '../reads/of-caller.ts';

type Setting = { readonly fid: Fid; readonly state: string };
type Result = { readonly fid: Fid; readonly done: boolean; readonly because: string };

/**
 * Sets the states of processes and services, all or none. Throws a {@link Refusal} that names each setting that cannot
 * be: a move that a process does not have, a thing without a state of its own, or a thing that does not exist.
 */
export async function updateMero({ params, body, request, caller }: AdminCall<'updateMero'>, shell: Shell): Promise<Answer> {
  await clusterOf(shell, params.zone, caller);
  refuseTwice(body.set);
  const now = await readCluster(shell, params.zone);
  const owners = now ? ownersOf(now) : new Map<Fid, Fid>();
  const { results, changes } = await applyPlan(shell, request, async (reading) => {
    const planned = await planSettings(shell, reading, { set: body.set, now, owners });
    return { ...planned, because: planned.results.map(({ because }) => because) };
  });
  if (changes.length > 0) await lookAtLevels(shell, params.zone);
  return { status: 200, body: { results } };
}

function refuseTwice(set: readonly Setting[]): void {
  const twice = set.find(({ fid }, n) => set.findIndex((one) => one.fid === fid) !== n);
  if (twice)
    throw new Refusal('invalid', `${twice.fid} is set twice`, {
      errors: [{ pointer: '/set', detail: `${twice.fid} is in the list twice` }],
    });
}

/** The process of each service. */
const ownersOf = ({ processes }: ClusterNow): ReadonlyMap<Fid, Fid> =>
  new Map(processes.flatMap(({ fid, services }) => services.map((service): [Fid, Fid] => [service.fid, fid])));

type Asked = { readonly set: readonly Setting[]; readonly now: ClusterNow | undefined; readonly owners: ReadonlyMap<Fid, Fid> };

/** A process with everything that was set so far. */
type Changed = { readonly change: PlannedChange; readonly process: MeroProcess; readonly events: readonly Concluded[] };

async function planSettings(shell: Shell, reading: Reading, { set, now, owners }: Asked) {
  const changed = new Map<Fid, Changed>();
  const results: Result[] = [];
  const refused: string[] = [];
  for (const setting of set) {
    const fid = processOf(setting.fid, owners);
    const ref = processRef(processId({ zone: now?.cluster.zone ?? '', fid: fid ?? '' }));
    const row = fid && now?.processes.some((one) => one.fid === fid) ? await reading.row(ref) : undefined;
    const process = (fid && changed.get(fid)?.process) ?? stateOf(row, shell.now());
    const decision = process && now ? decided(setting, process, now, shell.now()) : whyNone(setting.fid);
    if (decision.does === 'refuse') refused.push(decision.because);
    else results.push({ fid: setting.fid, done: decision.does === 'write', because: decision.because });
    if (decision.does === 'write' && fid) {
      const events = [...(changed.get(fid)?.events ?? []), ...decision.events];
      changed.set(fid, { change: changeOfRow(ref, row, { ...decision, events }), process: decision.next, events });
    }
  }
  if (refused.length > 0) throw new Refusal('refused', refused.join('; '));
  return { results, changes: [...changed.values()].map(({ change }) => change) };
}

const processOf = (fid: Fid, owners: ReadonlyMap<Fid, Fid>): Fid | undefined => (readFid(fid)!.type === 'process' ? fid : owners.get(fid));

function decided(
  { fid, state }: Setting,
  process: MeroProcess,
  { cluster, meroNodes }: ClusterNow,
  now: EpochMs,
): Decision<MeroProcess> | Refused {
  if (process.fid !== fid) return updateService(process, fid, state);
  const surroundings = { goal: goalOf(process, cluster, meroNodes.get(process.host)), limits: limitsOf(cluster) };
  return updateProcess(process, state, surroundings, now);
}

/** Why nothing is set: the fid is not that of a process or service of the cluster. */
function whyNone(fid: Fid): Refused {
  const { type } = readFid(fid)!;
  const because =
    type === 'process' || type === 'service'
      ? `there is no ${type} ${fid}`
      : type === 'node'
        ? `${fid} is a node, whose state follows from its heartbeats: use mero node stop or mero node start`
        : `${fid} is the fid of a ${type}, whose state follows from what contains it`;
  return { does: 'refuse', because };
}
