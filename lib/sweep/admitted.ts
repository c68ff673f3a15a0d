import { type Deployment, decideDeployment } from '../deployment/deployment.ts';
import { deploymentOf } from '../doors/settings.ts';
import { zoneNow, zoneOf } from '../doors/zones.ts';
import { apply } from '../runtime/apply.ts';
import type { Shell } from '../runtime/shell.ts';
import { defaultZone } from '../zones/create.ts';
import { rosterSize, standingAt } from '../zones/roster.ts';
import { admitted } from '../zones/standing.ts';
import type { ZoneHead } from '../zones/zone.ts';

/** Admitted nodes set the heartbeat interval of the whole deployment: all that have joined and were not given up. */
export async function noteAdmitted(shell: Shell, head: ZoneHead): Promise<void> {
  const command = { type: 'admitted', id: shell.newId(), zone: head.name, nodes: admittedIn(head) } as const;
  await apply<Deployment, typeof command>(shell, { noun: 'deployment', id: 'deployment' }, command, decideDeployment);
}

/**
 * Notes what a sweep did not note because it died after its plan, or noted although another had meanwhile noted a newer roster. Looks at
 * zones and deployment as this environment has them anyway, and so costs nothing while they agree.
 */
export async function mendAdmitted(shell: Shell): Promise<void> {
  const noted = (await deploymentOf(shell))?.admitted ?? {};
  for (const name of new Set([defaultZone, ...Object.keys(noted)])) {
    const zone = await zoneOf(shell, name);
    if (!zone || admittedIn(zone.head) === (noted[name] ?? 0)) continue;
    const now = await zoneNow(shell, name);
    if (now) await noteAdmitted(shell, now.head);
  }
}

/** How many nodes of a zone are expected to be heard. */
function admittedIn({ roster }: ZoneHead): number {
  let nodes = 0;
  for (let index = 0; index < rosterSize(roster); index++) if (admitted(standingAt(roster, index))) nodes++;
  return nodes;
}
