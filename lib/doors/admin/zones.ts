import { allowsUnsigned, type Deployment, type DeploymentCommand, decideDeployment } from '../../deployment/deployment.ts';
import { apply } from '../../runtime/apply.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { keyOf, zoneList } from '../../table/keys.ts';
import { defaultZone } from '../../zones/create.ts';
import { zoneView } from '../../zones/view.ts';
import type { Counts } from '../../zones/zone.ts';
import { deploymentRef } from '../settings.ts';
import type { AdminCall, AdminCaller } from '../verify-admin.ts';
import { ensureDefaultZone } from '../zones.ts';
import { cursorAt, positionOf } from './cursors.ts';
import { foundZone } from './found.ts';
import { seesZone } from './zones-of-caller.ts';

/** All zones that are there for the caller, by name. */
export async function listZones({ query, caller }: AdminCall<'listZones'>, shell: Shell): Promise<Answer> {
  await ensureDefaultZone(shell);
  const after = await positionOf(shell, query.cursor, 'zones');
  const page = await shell.table.queryIndex({ index: 'list', pk: zoneList, limit: query.limit, ...(after !== undefined && { after }) });
  const seen = page.items.filter((entry) => seesZone(caller, entry.sk));
  const items = await Promise.all(seen.map((entry) => shown(shell, entry.sk, caller)));
  return { status: 200, body: { items, ...(page.next !== undefined && { next: await cursorAt(shell, page.next, 'zones') }) } };
}

/** One zone and its map in summary. */
export async function getZone({ params, caller }: AdminCall<'getZone'>, shell: Shell): Promise<Answer> {
  await ensureDefaultZone(shell);
  return { status: 200, body: await shown(shell, params.zone, caller) };
}

/** Allows or refuses clients that never sign. Environments hear of it within the age of a cached zone. */
export async function editZone({ params, body, request, caller }: AdminCall<'editZone'>, shell: Shell): Promise<Answer> {
  if (params.zone === defaultZone) await ensureDefaultZone(shell);
  await foundZone(shell, params.zone, caller);
  const { unsignedClients: allowed } = body;
  if (allowed !== undefined) {
    const command: DeploymentCommand = { type: 'unsigned-clients', id: request.id, zone: params.zone, allowed };
    await apply<Deployment, DeploymentCommand>(shell, deploymentRef, command, decideDeployment);
  }
  return { status: 200, body: await shown(shell, params.zone, caller) };
}

async function shown(shell: Shell, name: string, caller: AdminCaller) {
  const zone = await foundZone(shell, name, caller);
  const refs = [{ noun: 'zone', id: name }, { noun: 'counts', id: name }, deploymentRef];
  const [headRow, countsRow, deploymentRow] = await shell.table.readMany(refs.map(keyOf));
  const unsignedClients = allowsUnsigned(deploymentRow?.body as Deployment | undefined, name);
  return zoneView(zone, headRow?.because ?? '', { counts: countsRow?.body as Counts | undefined, unsignedClients });
}

/** The names of all zones that are there for the caller; a deployment has thousands at the most. */
export async function zonesOf(shell: Shell, caller: AdminCaller): Promise<string[]> {
  const names: string[] = [];
  for (let after: string | undefined; ; ) {
    const page = await shell.table.queryIndex({ index: 'list', pk: zoneList, limit: 1000, ...(after && { after }) });
    names.push(...page.items.map((entry) => entry.sk).filter((name) => seesZone(caller, name)));
    if (!page.next) return names;
    after = page.next;
  }
}
