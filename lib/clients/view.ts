import { showFingerprint } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { LoadedZone } from '../zones/rows/loaded.ts';
import { pageOf } from '../zones/rows/page.ts';
import type { SameMachineIdKey, SystemView } from './admin-routes.ts';
import type { Client, ClientIn, Minion } from './client.ts';
import { heldBecause, pinOf, waitsBecause } from './held.ts';
import { duplicateBecause, isDuplicate } from './rows/machine-id.ts';
import { rowStatus } from './rows/status.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** Another key with the same machine id, which came `first` or later. */
export const sameMachineIdKey = ({ fp, fingerprint, fqdn, status, zone, seenAt }: SystemView, first: boolean): SameMachineIdKey => ({
  fp,
  fingerprint,
  first,
  fqdn,
  status,
  seenAt,
  ...(zone && { zone }),
});

/** The view of the keys that share its machine id, with the reason or the action to take. */
function sharedView(client: Client, keys: readonly SameMachineIdKey[]): SystemView['sameMachineId'] {
  const held = client.standing === 'pooled' && isDuplicate(client);
  const because = held
    ? `held: ${duplicateBecause}`
    : 'another key also reports its machine id: one of them is a clone, or the machine was reinstalled';
  return { held, because, keys: [...keys] };
}

/**
 * A client system's row as the API and the CLI show it. Its status is computed as for its own calls. `others`: the keys
 * with which it shares its machine id.
 */
export function systemView(
  client: Client,
  because: string,
  zone: LoadedZone | undefined,
  now: EpochMs,
  others: readonly SameMachineIdKey[] = [],
): SystemView {
  const { fp, fqdn, machineId, minion, facts, suggestedTags, firstSeenAt, seenAt } = client;
  const accepted = client.standing === 'accepted' ? client : undefined;
  const told = accepted?.told;
  const held = zone && heldBecause(zone, client, { now });
  const pin = zone && pinOf(zone, client);
  const turn = zone && waitsBecause(zone, client, { now });
  const page = zone && told && pageOn(zone, told.index, client);
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
    ...(client.zone && { zone: client.zone }),
    ...(accepted && { accepted: acceptance(accepted) }),
    ...(told && { node: { id: told.node, at: iso(told.at), confirmed: told.confirmedAt !== undefined, ...(name && { fqdn: name }) } }),
    ...(page !== undefined && { page }),
    ...(pin && { pin }),
    ...(held !== undefined && { held }),
    ...(turn && { turnAt: iso(turn.at) }),
    ...(accepted?.silentSince !== undefined && { silentSince: iso(accepted.silentSince) }),
    ...(client.unsigned && { unsigned: true as const }),
    ...(client.sameMachineId && { sameMachineId: sharedView(client, others) }),
    ...(minion && { minion: minionView(minion) }),
  };
}

const minionView = ({ id, fingerprint, ofText }: Minion): NonNullable<SystemView['minion']> => ({
  id,
  fingerprint: showFingerprint(fingerprint),
  ...(ofText?.[0] !== undefined && { ofText: showFingerprint(ofText[0]) }),
});

/** When it was accepted, and by whom, where its row says so. */
const acceptance = ({ acceptedAt, acceptedBy }: ClientIn<'accepted'>): NonNullable<SystemView['accepted']> => ({
  at: iso(acceptedAt),
  ...(acceptedBy !== undefined && { by: acceptedBy }),
});

/** The address of the page of a client system on a node, by its place in the zone. */
function pageOn({ head, members }: LoadedZone, index: number, { fp, fqdn, minion, facts }: Client): string | undefined {
  const member = members[index];
  const template = member?.page ?? head.page;
  if (!member || template === undefined) return undefined;
  return pageOf(template, { name: member.fqdn, id: member.node, system: fqdn, fp, minion: minion?.id, sid: facts['sid'] });
}
