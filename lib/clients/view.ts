import { type Fingerprint, showFingerprint } from '../core/ids.ts';
import { isNoName } from '../core/no-name.ts';
import type { EpochMs } from '../core/time.ts';
import type { LoadedZone } from '../zones/rows/loaded.ts';
import { pageOf } from '../zones/rows/page.ts';
import type { SameMachineIdKey, SystemView } from './admin-routes.ts';
import { type Client, type ClientIn, clusterIdOf, type Minion } from './client.ts';
import { heldBecause, pinOf, waitsBecause } from './held.ts';
import { copiedBecause } from './rows/boots.ts';
import { type Claim, claims, duplicateBecause, sharedOf, takenBecause, wordOf } from './rows/claims.ts';
import { rowStatus } from './rows/status.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** Another key with the same claim, which came `first` or later. */
export const sameMachineIdKey = ({ fp, fingerprint, fqdn, status, zone, seenAt }: SystemView, first: boolean): SameMachineIdKey => ({
  fp,
  fingerprint,
  first,
  fqdn,
  status,
  seenAt,
  ...(zone && { zone }),
});

/** The other keys with each claim of a client system, as far as the caller may see them. */
export type SharedKeys = Readonly<Record<Claim, readonly SameMachineIdKey[]>>;
const none: SharedKeys = { 'machine-id': [], 'system-name': [] };

/** The view of the keys that share a claim of it, with the reason or the action to take; undefined if none does. */
function sharedView(client: Client, claim: Claim, keys: SharedKeys): SystemView['sameName'] {
  const { before, after } = sharedOf(client, claim);
  const isWaiting = client.standing === 'pooled';
  if (before.length > 0 && isWaiting) return { held: true, because: `held: ${takenBecause(claim)}`, keys: [...keys[claim]] };
  if (before.length + after.length > 0) return { held: false, because: otherwise[claim], keys: [...keys[claim]] };
  if (claim !== 'system-name' || !isNoName(client.fqdn) || !isWaiting) return undefined;
  return { held: true, because: `held: ${duplicateBecause(client)}`, keys: [], noName: true };
}

const otherwise: Readonly<Record<Claim, string>> = {
  'machine-id': `another key also reports its ${wordOf['machine-id']}: one of them is a clone, or the machine was reinstalled`,
  'system-name': `another key also reports its ${wordOf['system-name']}: the machine was reinstalled, or two machines have one name`,
};

function sharedViews(client: Client, keys: SharedKeys): Pick<SystemView, 'sameMachineId' | 'sameName'> {
  const [sameMachineId, sameName] = claims.map((claim) => sharedView(client, claim, keys));
  return { ...(sameMachineId && { sameMachineId }), ...(sameName && { sameName }) };
}

/** The keys that a view of a client system shows beside it: those that share a claim of it. */
export const keysShared = (client: Client): Readonly<Record<Claim, { readonly fps: readonly Fingerprint[]; readonly first: number }>> => {
  const of = (claim: Claim) => {
    const { before, after } = sharedOf(client, claim);
    return { fps: [...before, ...after], first: before.length };
  };
  return { 'machine-id': of('machine-id'), 'system-name': of('system-name') };
};

/**
 * A client system's row as the API and the CLI show it. Its status is computed as for its own calls. `others`: the keys
 * with which it shares what it claims.
 */
export function systemView(
  client: Client,
  because: string,
  zone: LoadedZone | undefined,
  now: EpochMs,
  others: SharedKeys = none,
): SystemView {
  const { fp, fqdn, machineId, minion, facts, suggestedTags, firstSeenAt, seenAt } = client;
  const accepted = client.standing === 'accepted' ? client : undefined;
  const clusterId = clusterIdOf(client);
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
    ...(clusterId !== undefined && { clusterId }),
    ...(told && accepted.adopted?.node === told.node && { numberThere: accepted.adopted.number }),
    ...(page !== undefined && { page }),
    ...(pin && { pin }),
    ...(held !== undefined && { held }),
    ...(turn && { turnAt: iso(turn.at) }),
    ...(accepted?.silentSince !== undefined && { silentSince: iso(accepted.silentSince) }),
    ...shownView(client),
    ...sharedViews(client, others),
    ...copiedView(client),
    ...(minion && { minion: minionView(minion) }),
  };
}

/** What the machine has shown: no signature, or a token that does not accept it. */
const shownView = (client: Client): Pick<SystemView, 'unsigned' | 'tokenRefused'> => ({
  ...(client.unsigned && { unsigned: client.unsigned }),
  ...(client.standing === 'pooled' && client.refused !== undefined && { tokenRefused: client.refused }),
});

const copiedView = ({ copied }: Pick<Client, 'copied'>): Pick<SystemView, 'copied'> =>
  copied ? { copied: { since: iso(copied.since), lastAt: iso(copied.at), because: copiedBecause(copied) } } : {};

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
