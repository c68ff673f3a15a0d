import { ifMatch, settingsEtag } from '../access/etag.ts';
import type { AdminCall, AdminCaller } from '../access/verify-admin.ts';
import { isEverywhere, needsEverywhere, seesZone } from '../access/zones-of-caller.ts';
import { musterVersion } from '../api/version.ts';
import { type FleetCounts, fleetCounts, noSystems } from '../clients/reads/counts.ts';
import { refusedLately } from '../clients/refusals/reads.ts';
import { silentByNode } from '../clients/silence/reads.ts';
import {
  admittedNodes,
  type Deployment,
  decideDeployment,
  deploymentRef,
  intervalOf,
  newKeysPerSourceOf,
} from '../deployment/deployment.ts';
import { rememberDeployment } from '../deployment/reads.ts';
import { sweepRef } from '../deployment/rows/sweep.ts';
import { countWaiting } from '../nodes/admission/reads.ts';
import { openApi } from '../openapi/openapi.ts';
import { deadLetterLists } from '../ports/table/keys.ts';
import { apply } from '../runtime/apply.ts';
import type { Answer } from '../runtime/on-route.ts';
import { readRow, readRows } from '../runtime/read.ts';
import { cached, type Shell } from '../runtime/shell.ts';
import { zonesOf } from '../zones/handlers/list.ts';
import { rosterSize, standingAt } from '../zones/map/rows/roster.ts';
import { standingOf, viewedStanding } from '../zones/map/rows/standing.ts';
import { ensureSeenDefaultZone, foundZone } from '../zones/reads/found.ts';
import { pastPlaces } from '../zones/rows/places.ts';
import { forecastView, systemsByNode } from '../zones/view/zone.ts';
import { countsRef } from '../zones/zone.ts';
import { deadCountedMax } from './status-routes.ts';

/** The deployment at a glance. */
export async function status({ caller, query }: AdminCall<'status'>, shell: Shell): Promise<Answer> {
  await ensureSeenDefaultZone(shell, caller);
  const [deploymentRow, sweepRow] = await readRows(shell, [deploymentRef, sweepRef()]);
  const sweptAt = sweepRow?.body?.sweptAt;
  const counted = query.counts ? await fleetCounts(shell, caller) : undefined;
  const names = await zonesOf(shell, caller);
  const body = {
    deployment: shell.settings.deployment,
    version: musterVersion,
    now: new Date(shell.now()).toISOString(),
    intervalMs: intervalOf(deploymentRow?.body, shell.settings.beatMinMs),
    ...(sweptAt !== undefined && { sweptAt: new Date(sweptAt).toISOString() }),
    ...(isEverywhere(caller) && { deadLetters: await countDead(shell) }),
    ...(counted && { counts: { ...totals(counted), hosts: await countWaiting(shell, caller) } }),
    zones: await Promise.all(
      names.map(async (name) => ({
        ...(await summary(shell, name, caller)),
        ...(counted && { systems: counted.zones.get(name) ?? noSystems }),
      })),
    ),
    refusedKnocks: await countRefused(shell, caller),
  };
  return { status: 200, body };
}

const totals = ({ asOf, systems, tags, groups }: FleetCounts) => ({ asOf, systems, tags, groups });

/** The number of knocks that were refused lately, as far as the caller sees them. */
const countRefused = async (shell: Shell, caller: AdminCaller): Promise<number> =>
  (await refusedLately(shell)).reduce((sum, { count, zone }) => sum + (seesZone(caller, zone) ? count : 0), 0);

/**
 * The number of dead letters, by their keys alone: a dead letter may hold 256 KB, and is not read to be counted. Those
 * that were given back are listed separately.
 */
export async function countDead(shell: Shell): Promise<number> {
  const pages = await Promise.all(deadLetterLists.dead.map((pk) => shell.table.queryIndex({ index: 'list', pk, limit: deadCountedMax })));
  return Math.min(
    deadCountedMax,
    pages.reduce((sum, { items }) => sum + items.length, 0),
  );
}

async function summary(shell: Shell, name: string, caller: AdminCaller) {
  const zone = await foundZone(shell, name, caller);
  const counts = (await readRow(shell, countsRef(name)))?.body;
  const nodes: Record<string, number> = {};
  const past = pastPlaces(zone);
  for (let index = 0; index < rosterSize(zone.head.roster); index++) {
    if (past.has(index)) continue;
    const standing = viewedStanding(standingOf(standingAt(zone.head.roster, index)));
    nodes[standing] = (nodes[standing] ?? 0) + 1;
  }
  const systemsAbout = [...systemsByNode(zone, counts).values()].reduce((sum, n) => sum + n, 0);
  const silent = await silentByNode(shell, name);
  const silentAbout = zone.members.reduce((sum, one, index) => sum + (one && !past.has(index) ? (silent.get(one.node) ?? 0) : 0), 0);
  const { mode, version, slots, brakes } = zone.head;
  const held = { ...(brakes.disrupted && { disrupted: true }), ...(brakes.freeze && { frozen: brakes.freeze }) };
  const forecast = forecastView(zone, counts, shell.now());
  return { name: zone.head.name, mode, version, slots, nodes, systemsAbout, silentAbout, ...held, ...(forecast && { forecast }) };
}

/** Settings of the deployment. */
export async function getSettings({ caller }: AdminCall<'getSettings'>, shell: Shell): Promise<Answer> {
  const row = await readRow(shell, deploymentRef);
  return settingsAnswer(shell, row?.body, caller);
}

/** Sets the given fields; fenced by If-Match when it is sent. */
export async function editSettings({ body, request, caller }: AdminCall<'editSettings'>, shell: Shell): Promise<Answer> {
  needsEverywhere(caller, 'admin');
  const command = { type: 'set', id: request.id, ...body } as const;
  const fenced = ifMatch<Deployment, typeof command>(request, settingsEtag, decideDeployment);
  const { state } = await apply(shell, deploymentRef, command, fenced);
  rememberDeployment(shell, state);
  return settingsAnswer(shell, state, caller);
}

const settingsAnswer = (shell: Shell, deployment: Deployment | undefined, caller: AdminCaller): Answer => ({
  status: 200,
  body: {
    beatMinMs: deployment?.beatMinMs ?? shell.settings.beatMinMs,
    intervalMs: intervalOf(deployment, shell.settings.beatMinMs),
    ...(isEverywhere(caller) && { admittedNodes: admittedNodes(deployment) }),
    openCalls: deployment?.openCalls ?? true,
    newKeysPerSource: newKeysPerSourceOf(deployment),
  },
  headers: { etag: settingsEtag(deployment) },
});

/** This API as OpenAPI 3.1, made once per environment. */
export const openapi = (_call: AdminCall<'openapi'>, shell: Shell): Answer => ({ status: 200, body: cached(shell, 'openapi', openApi) });
