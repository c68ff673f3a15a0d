import type { ZoneName } from '../core/ids.ts';
import { apply } from '../runtime/apply.ts';
import { cached, type Shell } from '../runtime/shell.ts';
import { admittedIn } from '../zones/map/rows/roster.ts';
import { zoneNow, zoneOf } from '../zones/reads/zones.ts';
import { defaultZone, type ZoneHead } from '../zones/zone.ts';
import { decideDeployment, deploymentRef } from './deployment.ts';
import { deploymentOf } from './reads.ts';

/**
 * Records how many nodes of a zone are admitted: all that have joined and were not given up. Their number sets the
 * heartbeat interval of the whole deployment.
 */
export async function noteAdmitted(shell: Shell, head: ZoneHead): Promise<void> {
  const command = { type: 'admitted', id: shell.newId(), zone: head.name, nodes: admittedIn(head.roster) } as const;
  await apply(shell, deploymentRef, command, decideDeployment);
}

/** How many zones one sweep checks: all of them in most deployments, and each of thousands within minutes. */
export const mendedAtOnce = 10;

/**
 * Corrects the recorded numbers: a sweep may have died after its plan, or overwritten a newer roster, or the zone may
 * be gone. Checks a few zones a sweep, one after another, in the zones and the deployment that this environment has
 * anyway.
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

/**
 * The zones whose turn is in the n-th round. An environment begins anywhere and continues, so that every zone has its
 * turn.
 */
const turnOf = (names: readonly string[], n: number): readonly string[] => {
  const rounds = Math.ceil(names.length / mendedAtOnce);
  return names.slice((n % rounds) * mendedAtOnce, ((n % rounds) + 1) * mendedAtOnce);
};

async function noteDeleted(shell: Shell, zone: ZoneName): Promise<void> {
  const command = { type: 'zone-deleted', id: shell.newId(), zone } as const;
  await apply(shell, deploymentRef, command, decideDeployment);
}
