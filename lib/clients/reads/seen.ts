import type { AdminCaller } from '../../access/verify-admin.ts';
import { seesSystem } from '../../access/zones-of-caller.ts';
import type { Fingerprint } from '../../core/ids.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Client } from '../client.ts';
import { systemRow } from './rows.ts';

/**
 * The client systems with these fingerprints that the caller can see, each once, and the fingerprints that have none.
 */
export async function seenSystems(
  shell: Shell,
  fps: readonly Fingerprint[],
  caller: AdminCaller,
): Promise<{ readonly clients: readonly Client[]; readonly unknown: readonly Fingerprint[] }> {
  const all = await Promise.all([...new Set(fps)].map(async (fp) => ({ fp, client: await seen(shell, fp, caller) })));
  const clients = new Map(all.flatMap(({ client }) => (client ? [[client.fp, client] as const] : [])));
  return { clients: [...clients.values()], unknown: all.flatMap(({ fp, client }) => (client ? [] : [fp])) };
}

async function seen(shell: Shell, fp: Fingerprint, caller: AdminCaller): Promise<Client | undefined> {
  const client = (await systemRow(shell, fp))?.state;
  return client && seesSystem(caller, client) ? client : undefined;
}

/** The zone that a client system was accepted into, if it was. */
export const zoneNameOf = (client: Client): string | undefined => (client.standing === 'accepted' ? client.zone : undefined);
