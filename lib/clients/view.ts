import type { SystemView } from '../api/views.ts';
import { showFingerprint } from '../ids.ts';
import type { EpochMs } from '../units.ts';
import type { LoadedZone } from '../zones/loaded.ts';
import type { Client } from './client.ts';
import { heldBecause, waitsBecause } from './held.ts';
import { rowStatus } from './status.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** A client system's row as the API and the CLI show it; its status is computed as for its own calls. */
export function systemView(client: Client, because: string, zone: LoadedZone | undefined, now: EpochMs): SystemView {
  const { fp, fqdn, machineId, minion, facts, suggestedTags, firstSeenAt, seenAt } = client;
  const accepted = client.standing === 'accepted' ? client : undefined;
  const told = accepted?.told;
  const held = zone && heldBecause(zone, client, { now });
  const turn = zone && waitsBecause(zone, client, { now });
  const name = told && zone?.members[told.index]?.fqdn;
  return {
    fp,
    fingerprint: showFingerprint(fp),
    fqdn,
    machineId,
    status: rowStatus(client, zone, { now }),
    because,
    tags: accepted?.tags ?? [],
    groups: accepted?.groups ?? [],
    suggestedTags,
    facts,
    firstSeenAt: iso(firstSeenAt),
    seenAt: iso(seenAt),
    ...(client.standing !== 'pooled' && client.zone && { zone: client.zone }),
    ...(told && { node: { id: told.node, at: iso(told.at), confirmed: told.confirmedAt !== undefined, ...(name && { fqdn: name }) } }),
    ...(held !== undefined && { held }),
    ...(turn && { turnAt: iso(turn.at) }),
    ...(client.unsigned && { unsigned: true as const }),
    ...(minion && { minion: { id: minion.id, fingerprint: showFingerprint(minion.fingerprint) } }),
  };
}
