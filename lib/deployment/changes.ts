import type { ZoneName } from '../core/ids.ts';
import { apply } from '../runtime/apply.ts';
import { cached, type Shell } from '../runtime/shell.ts';
import { admittedIn } from '../zones/map/rows/roster.ts';
import { zoneNow, zoneOf } from '../zones/reads/zones.ts';
import { defaultZone, type ZoneHead } from '../zones/zone.ts';
import { decideDeployment, deploymentRef } from './deployment.ts';
import { deploymentOf } from './reads.ts';

/** Admitted nodes set the heartbeat interval of the whole deployment: all that have joined and were not given up. */
export async function noteAdmitted(shell: Shell, head: ZoneHead): Promise<void> {
  const command = { type: 'admitted', id: shell.newId(), zone: head.name, nodes: admittedIn(head.roster) } as const;
  await apply(shell, deploymentRef, command, decideDeployment);
}

/** Zones that one sweep looks at: all of them in most deployments, and of thousands each within minutes. */
export const mendedAtOnce = 10;

/**
 * Notes what a sweep did not note because it died after its plan, or noted although another had meanwhile noted a newer
 * roster; and that a zone is gone. Looks at a few zones a sweep, one after another, and at zones and deployment as this
 * environment has them anyway.
 */
export async function mendAdmitted(shell: Shell): Promise<void> {
  const noted = (await deploymentOf(shell))?.admitted ?? {};
  const names = [...new Set<string>([defaultZone, ...Object.keys(noted)])].sort();
  const rounds = cached(shell, 'mended zones', () => ({ next: Math.floor(shell.now() / shell.settings.sweepPeriodMs) }));
  for (const name of turnOf(names, rounds.next++)) {
    const zone = await zoneOf(shell, name);
    if (zone ? admittedIn(zone.head.roster) === (noted[name] ?? 0) : noted[name] === undefined) continue;
    const now = await zoneNow(shell, name);
    if (now) await noteAdmitted(shell, now.head);
    else await noteDeleted(shell, name as ZoneName);
  }
}

/** Whose turn it is in the n-th round; an environment begins anywhere and goes on, so that every zone has its turn. */
const turnOf = (names: readonly string[], n: number): readonly string[] => {
  const rounds = Math.ceil(names.length / mendedAtOnce);
  return names.slice((n % rounds) * mendedAtOnce, ((n % rounds) + 1) * mendedAtOnce);
};

async function noteDeleted(shell: Shell, zone: ZoneName): Promise<void> {
  const command = { type: 'zone-deleted', id: shell.newId(), zone } as const;
  await apply(shell, deploymentRef, command, decideDeployment);
}
