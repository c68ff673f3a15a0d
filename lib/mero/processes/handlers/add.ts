import type { AdminCall } from '../../../access/verify-admin.ts';
import { Refusal } from '../../../api/problem.ts';
import type { Plan, PlannedChange } from '../../../core/decision.ts';
import { hostRef } from '../../../nodes/hosts/host.ts';
import { endpointRange } from '../../../ports/table/keys.ts';
import type { Row } from '../../../ports/table/table.ts';
import { applyPlan, type Reading } from '../../../runtime/apply-plan.ts';
import { changeOfRow, stateOf } from '../../../runtime/content.ts';
import { type Answer, answering } from '../../../runtime/on-route.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { enteringZone } from '../../../zones/changes/gate.ts';
import { clusterRef, fidsRef, newCluster, type StorageCluster } from '../../clusters/cluster.ts';
import { clusterOf } from '../../clusters/reads/of-caller.ts';
import { rowsIn } from '../../clusters/reads/rows.ts';
import type { MeroRole } from '../../facts/roles/mero-role.ts';
import { lookAtLevels } from '../../levels/changes.ts';
import { type MeroHost, meroHost, orderTo, processesOfNode } from '../../nodes/reads.ts';
import { catalogueRef, meroRoles, rolesIn } from '../../roles/catalogue.ts';
import {
  type Addition,
  type AddOrder,
  networksOf,
  placingsOf,
  planAdd,
  rolesWithHalon,
  type WantedProcess,
  wantedOf,
} from '../plan-add.ts';
import type { MeroProcess } from '../process.ts';
import { processConfiguration } from '../view.ts';

type Body = AdminCall<'addMeroProcesses'>['body'];
type Added = Extract<Addition, { ok: true }>;
/** A plan that adds processes, with what it adds, and the processes that the node has before. */
type AddPlan = Plan & { readonly added: Added; readonly ofNode: readonly MeroProcess[]; readonly profile: StorageCluster['profile'] };

/**
 * Adds the processes of roles to a host in one commit: each with its fid, its endpoint and its values, and the Mero
 * node if there is none. A dry run returns the same and adds nothing.
 */
export async function addMeroProcesses({ params, body, request, caller }: AdminCall<'addMeroProcesses'>, shell: Shell): Promise<Answer> {
  await clusterOf(shell, params.zone, caller);
  // This comes before anything is added: a caller that gets a transient failure calls again, and would add the
  // processes twice.
  if (!body.dryRun) await lookAtLevels(shell, params.zone);
  const { answer } = await applyPlan(shell, { id: request.id }, async (reading) => {
    const plan = await planOf(shell, reading, params.zone, body);
    return answering(shell, body.dryRun ? { ...plan, changes: [] } : plan, answerOf(plan, body));
  });
  return answer;
}

function answerOf({ added, ofNode, because, profile }: AddPlan, { dryRun }: Body): Answer {
  const { meroNode, isNewNode, processes } = added;
  const all = [...ofNode, ...processes];
  return {
    status: dryRun ? 200 : 201,
    body: {
      done: !dryRun,
      because: because[0]!,
      node: { fid: meroNode.fid, host: meroNode.fqdn, isNew: isNewNode },
      processes: processes.map((process) => processConfiguration(process, all, profile)),
    },
  };
}

async function planOf(shell: Shell, reading: Reading, zone: AddOrder['zone'], body: Body): Promise<AddPlan> {
  const now = shell.now();
  const cluster = stateOf(await reading.row(clusterRef(zone)), now) ?? newCluster(zone, now);
  const host = await meroHost(shell, reading, cluster, body.node);
  refuseLeaving(host);
  const catalogue = rolesIn(meroRoles, stateOf(await reading.row(catalogueRef('mero-roles', zone)), now)).map(({ role }) => role);
  const roles = rolesWithHalon(named(body.roles, catalogue), catalogue, host.mero.state);
  const order: AddOrder = { zone, host: host.fqdn, roles, overrides: body.set };
  const wanted = wantedOf(order, host.mero.state, await addressOf(reading, host, now));
  if (!wanted.ok) throw refusal(wanted.because);
  const ofNode = host.mero.state ? await processesOfNode(shell, reading, cluster, host.mero.state) : [];
  const added = planAdd(order, wanted.processes, {
    meroNode: host.mero.state,
    processes: ofNode,
    lnid: wanted.lnid,
    now,
    endpoints: await heldEndpoints(shell, zone, wanted.processes),
    lastFid: stateOf(await reading.row(fidsRef(zone)), now)?.last ?? 0,
  });
  if (!added.ok) throw refusal(added.because);
  const because = `${added.processes.length} ${added.processes.length === 1 ? 'process' : 'processes'} of ${roles.map(({ name }) => name).join(', ')} on ${host.fqdn}`;
  const entry = await enteringZone(shell, reading, zone);
  if ('shut' in entry) throw new Refusal('unknown-zone', entry.shut);
  const changes = [
    ...(await changesOf(reading, order, added, now)),
    ...(await orderTo(reading, host.node, { because, now })),
    ...entry.changes,
  ];
  return { changes, because: [because], added, ofNode, profile: cluster.profile };
}

const refusal = (because: readonly string[]): Refusal => new Refusal('refused', because.join('; '));

/** Throws a {@link Refusal} for a host that is being removed, or was removed. */
function refuseLeaving({ fqdn, mero, node }: MeroHost): void {
  if (mero.state?.removing) throw new Refusal('refused', `${fqdn} is being removed`);
  if (node.state?.removedAt !== undefined) throw new Refusal('refused', `${fqdn} was removed: let it in again with halon node add ${fqdn}`);
}

/** The roles by name. Throws a {@link Refusal} for one that the catalogue does not have. */
const named = (names: readonly string[], roles: readonly MeroRole[]): MeroRole[] =>
  names.map((name) => {
    const role = roles.find((one) => one.name === name);
    if (!role) throw new Refusal('unknown-role', `there is no Mero role ${name}: there are ${roles.map((one) => one.name).join(', ')}`);
    return role;
  });

/** The address that a node called in from, as its agent reports it. */
async function addressOf(reading: Reading, { node }: MeroHost, now: ReturnType<Shell['now']>): Promise<string | undefined> {
  return node.state && stateOf(await reading.row(hostRef(node.state.id)), now)?.address;
}

/**
 * The endpoints in use on the networks and portals of these processes, in the whole cluster; also those of a load that
 * is still being written.
 */
async function heldEndpoints(shell: Shell, zone: string, wanted: readonly WantedProcess[]): Promise<string[]> {
  const held: string[] = [];
  for (const network of networksOf(wanted)) for await (const row of rowsIn(shell, zone, endpointRange(network))) held.push(endpointIn(row));
  return held;
}

const endpointIn = ({ key }: Row): string => decodeURIComponent(key.sk.slice('endpoint#'.length));

/**
 * The changes of an addition. If a row that must be new exists by now, the commit conflicts, and the plan is made
 * again.
 */
async function changesOf(reading: Reading, order: AddOrder, added: Added, now: ReturnType<Shell['now']>): Promise<PlannedChange[]> {
  const placings = placingsOf(order, added);
  const rows = await reading.rows(placings.map(({ ref }) => ref));
  return placings.map(({ ref, decision, fresh }, n): PlannedChange => {
    const row = rows[n];
    if (fresh && stateOf(row, now) !== undefined) return { ref, readRev: 0, decision };
    return changeOfRow(ref, row, decision);
  });
}
