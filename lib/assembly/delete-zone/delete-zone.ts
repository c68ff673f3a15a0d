import type { AdminCall } from '../../access/verify-admin.ts';
import { needsEverywhere } from '../../access/zones-of-caller.ts';
import { Refusal } from '../../api/problem.ts';
import { contentRef } from '../../content/revisions/revision.ts';
import { seatRef } from '../../content/seat/seat.ts';
import type { RowRef } from '../../core/decision.ts';
import type { ZoneName } from '../../core/ids.ts';
import { secondMs } from '../../core/time.ts';
import { type DeploymentCommand, decideDeployment, deploymentRef } from '../../deployment/deployment.ts';
import { clusterRef } from '../../mero/clusters/cluster.ts';
import { lookFrom } from '../../mero/loads/garbage.ts';
import { type Garbage, garbageRef, loadRef } from '../../mero/loads/load.ts';
import { heldOf } from '../../mero/loads/reads.ts';
import { keyOf, pagedRef, zonePartition } from '../../ports/table/keys.ts';
import { apply } from '../../runtime/apply.ts';
import { applyPlan } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { watchSetsOf } from '../../services/reads/supervision.ts';
import { typesRef } from '../../services/rows/service-type.ts';
import { supervisionRef, watchSetRef } from '../../services/watch-set.ts';
import { siteOrdersRef } from '../../stations/site-orders/site-orders.ts';
import { stationsRef } from '../../stations/stations.ts';
import { gateOf } from '../../zones/changes/gate.ts';
import { settledIn } from '../../zones/changes/residents.ts';
import { bodyRefs } from '../../zones/create.ts';
import { planCleared, planDeletion } from '../../zones/delete.ts';
import { gateRef, openGate, shutGate, type ZoneGate } from '../../zones/gate/gate.ts';
import { admittedIn } from '../../zones/map/rows/roster.ts';
import { forgetZone, zoneNow } from '../../zones/reads/zones.ts';
import { defaultZone, type ZoneHead, zoneRef } from '../../zones/zone.ts';
import { stillIn } from './still-in-zone.ts';

/**
 * How long a deletion waits between shutting a zone's gate and checking once more whether anything is in it. By then,
 * tokens and hosts that were put there just before are in the index as a rule. Nodes and client systems do not depend
 * on it: they are counted among the residents.
 */
const indexFollowsMs = secondMs;
/** Rows that a zone has once beside its head and its map, in its partition; they end with it. */
const wholeRefs = (zone: string): readonly RowRef[] => [
  stationsRef(zone),
  siteOrdersRef(zone),
  seatRef(zone),
  contentRef(zone),
  typesRef(zone),
  supervisionRef(zone),
];
/**
 * How many rows one commit of the rest of a zone ends: a page of members has 33 KB at most, a delta up to 320 KB, and a
 * commit takes 4 MB.
 */
const endedAtOnce = 10;

/**
 * Deletes an empty zone. Its gate is shut, so that nothing else comes in; it is checked once more, by its residents;
 * then its rows end. The next deletion completes one that died. Throws a {@link Refusal} that says what is still in it.
 */
export async function deleteZone({ params, request, caller }: AdminCall<'deleteZone'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'admin');
  const name = params.zone;
  if (name === defaultZone)
    throw new Refusal('refused', 'the zone default cannot be deleted: hosts and client systems that name no zone belong to it');
  const head = await headOf(shell, name);
  await refuseInhabited(shell, head, { call: request.id, still: await stillIn(shell, head) });
  const shut = await apply<ZoneGate, { readonly id: string }>(
    shell,
    gateRef(head.number),
    { id: `${request.id}-shut` },
    (gate, _call, now) => shutGate(gate, now),
  );
  await shell.sleep(indexFollowsMs);
  const still = await stillIn(shell, await headOf(shell, name), await settledIn(shell, { name, number: head.number, gateRev: shut.rev }));
  await refuseInhabited(shell, head, { call: request.id, still });
  await clear(shell, name);
  const because = await end(shell, head, { call: request.id, gateRev: shut.rev });
  const command: DeploymentCommand = { type: 'zone-deleted', id: request.id, zone: name };
  await apply(shell, deploymentRef, command, decideDeployment);
  forgetZone(shell, name);
  return { status: 200, body: { done: true, because } };
}

async function headOf(shell: Shell, name: string): Promise<ZoneHead> {
  const zone = await zoneNow(shell, name);
  if (!zone) throw new Refusal('unknown-zone', `no zone is called ${name}`);
  return zone.head;
}

/** The things that are still in a zone, as a call found them. */
type Found = { readonly call: string; readonly still: readonly string[] };

/**
 * Throws a {@link Refusal} when something is in the zone. The zone stays, and its gate is opened again if it was shut.
 */
async function refuseInhabited(shell: Shell, head: ZoneHead, { call, still }: Found): Promise<void> {
  if (still.length === 0) return;
  await apply<ZoneGate, { readonly id: string }>(shell, gateRef(head.number), { id: `${call}-open` }, (gate) => openGate(gate));
  throw new Refusal('refused', `zone ${head.name} is not empty: it has ${still.join(', ')}`, {
    errors: still.map((detail) => ({ pointer: '/zone', detail })),
  });
}

/**
 * Ends the other rows of a zone: its watch sets, the deltas of its map, and its pages of members without anybody on
 * them. A zone of the same name would find these.
 */
async function clear(shell: Shell, name: ZoneName): Promise<void> {
  const last = new Set([zoneRef(name as string), ...wholeRefs(name), ...bodyRefs(name, 1)].map((ref) => keyOf(ref).sk.split('#')[0]));
  await endRows(
    shell,
    (await watchSetsOf(shell, name)).map((set) => watchSetRef(set)),
  );
  for (let after: string | undefined; ; ) {
    const page = await shell.table.query({ pk: zonePartition(name), limit: endedAtOnce, ...(after !== undefined && { after }) });
    const refs = page.items.filter(({ key, gone }) => !gone && !last.has(key.sk.split('#')[0])).map(({ key }) => pagedRef(name, key.sk));
    await endRows(shell, refs);
    if (page.next === undefined) return;
    after = page.next;
  }
}

async function endRows(shell: Shell, refs: readonly RowRef[]): Promise<void> {
  for (let from = 0; from < refs.length; from += endedAtOnce) {
    const some = refs.slice(from, from + endedAtOnce);
    await applyPlan(shell, { id: `cleared-${shell.newId()}` }, async (reading) => {
      const rows = await reading.rows(some);
      return planCleared(rows.flatMap((row, i) => (row && !row.gone ? [{ ref: some[i]!, rev: row.rev, body: row.body }] : [])));
    });
  }
}

/**
 * The last commit. It only holds for the gate as this deletion shut it: a call that opened and shut it again in the
 * meantime may have let something in.
 */
async function end(shell: Shell, head: ZoneHead, { call, gateRev }: { readonly call: string; readonly gateRev: number }): Promise<string> {
  const plan = await applyPlan(shell, { id: `${call}-end` }, async (reading) => {
    const ref = zoneRef(head.name);
    const row = await reading.row(ref);
    const now = stateOf(row, shell.now());
    const gate = now && (await gateOf(shell, reading, head.name));
    if (!now || now.number !== head.number || gate?.rev !== gateRev || admittedIn(now.roster) > 0)
      return { changes: [], because: ['another call deletes it'] };
    const ofCluster = now.kind === 'storage' ? [clusterRef(now.name), loadRef(now.name)] : [];
    const refs: RowRef[] = [...bodyRefs(now.name, now.slots), ...wholeRefs(now.name), ...ofCluster];
    const others = (await reading.rows(refs)).flatMap((one, i) =>
      one && !one.gone ? [{ ref: refs[i]!, rev: one.rev, body: one.body }] : [],
    );
    // Rows of a cluster are more than one commit takes: the sweep removes them.
    const garbage = now.kind === 'storage' && heldOf<Garbage>(await reading.row(garbageRef(now.name)), shell);
    const besides = garbage ? [lookFrom(now.name, garbage, shell.now(), true)] : [];
    return planDeletion({ head: now, headRev: row!.rev, gate, others, besides }, shell.now());
  });
  if (plan.changes.length === 0)
    throw new Refusal('not-yet', `zone ${head.name} has changed meanwhile: another call deletes it, or has let something in`);
  return plan.because[0]!;
}
