import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import { allowsUnsigned, type Deployment, type DeploymentCommand, decideDeployment, deploymentRef } from '../../deployment/deployment.ts';
import { keyOf } from '../../ports/table/keys.ts';
import { apply } from '../../runtime/apply.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { gateRef, type ZoneGate } from '../gate/gate.ts';
import { ensureSeenDefaultZone, foundZone } from '../reads/found.ts';
import type { ZoneView } from '../routes.ts';
import { modeOf } from '../rows/admission.ts';
import type { ZoneSettings } from '../settings.ts';
import { zoneView } from '../view/zone.ts';
import { type Counts, countsRef, defaultZone, type ZoneHead, zoneRef } from '../zone.ts';
import { askingBack } from './asking-back.ts';
import { setZone } from './settings.ts';

/** One zone and its map in summary. */
export async function getZone({ params, caller }: AdminCall<'getZone'>, shell: Shell): Promise<Answer> {
  await ensureSeenDefaultZone(shell, caller);
  return { status: 200, body: await viewOfZone(shell, params.zone, caller) };
}

/**
 * Applies the given settings, and allows or refuses clients that never sign. Other environments see the change within
 * the maximum age of a cached zone.
 */
export async function editZone({ params, body, request, caller }: AdminCall<'editZone'>, shell: Shell): Promise<Answer> {
  if (params.zone === defaultZone) await ensureSeenDefaultZone(shell, caller);
  const { head } = await foundZone(shell, params.zone, caller);
  if (isOfFixedRates(head, body))
    throw new Refusal('refused', `nodes of zone ${params.zone} admit at fixed rates: have them adapt, too (zone set --admission adapts)`);
  const { unsignedClients: allowed, ...settings } = body;
  if (allowed !== undefined) {
    const command: DeploymentCommand = { type: 'unsigned-clients', id: request.id, zone: params.zone, allowed };
    await apply(shell, deploymentRef, command, decideDeployment);
  }
  await setZone(shell, params.zone, settings, request.id);
  return { status: 200, body: await viewOfZone(shell, params.zone, caller) };
}

/** Whether settings of rates that adapt are given for a zone in which none does. */
const isOfFixedRates = ({ admission: before }: ZoneHead, { admission, admitAtMostEveryMs, readyWithinMs }: ZoneSettings): boolean =>
  (admission ?? modeOf(before)) === 'fixed' && [admitAtMostEveryMs, readyWithinMs].some((given) => typeof given === 'number');

/** A zone as the API shows it. Throws a Refusal for a zone that the caller may not see or that does not exist. */
export async function viewOfZone(shell: Shell, name: string, caller: AdminCaller): Promise<ZoneView> {
  const zone = await foundZone(shell, name, caller);
  const refs = [zoneRef(name), countsRef(name), deploymentRef, gateRef(zone.head.number)];
  const [headRow, countsRow, deploymentRow, gateRow] = await shell.table.readMany(refs.map(keyOf));
  const unsignedClients = allowsUnsigned(deploymentRow?.body as Deployment | undefined, name);
  const view = zoneView(zone, headRow?.because ?? '', { counts: countsRow?.body as Counts | undefined, unsignedClients, now: shell.now() });
  const deletingSince = (gateRow?.body as ZoneGate | undefined)?.deletingSince;
  return {
    ...view,
    ...(await askingBack(shell, zone)),
    ...(deletingSince !== undefined && { deletingSince: new Date(deletingSince).toISOString() }),
  };
}
