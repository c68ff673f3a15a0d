import { type Concluded, type Decision, nothing, write } from '../core/decision.ts';
import type { Fingerprint } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { Client, ClientIn } from './client.ts';
import { besideBecause, claims, duplicateBecause, isDuplicate, sharedAnew } from './rows/claims.ts';
import type { ClientCommand } from './rows/command.ts';

/** An administrator, a token or a replacement accepts a key that waits; one that is held only by a word about it. */
export function onAccept(
  client: ClientIn<'pooled' | 'accepted'>,
  { zone, tags, groups, by, notBefore, duplicates, clusterId }: Omit<Extract<ClientCommand, { type: 'accept' }>, 'type' | 'id'>,
  now: EpochMs,
): Decision<ClientIn<'accepted'>> {
  if (client.standing === 'accepted')
    return nothing(`already accepted into zone ${client.zone}${client.zone === zone ? '' : ': a client system cannot change zones'}`);
  if (isDuplicate(client) && !duplicates) return nothing(`held: ${duplicateBecause(client)}`);
  const { refused: _none, ...known } = client;
  const next: ClientIn<'accepted'> = {
    ...known,
    standing: 'accepted',
    zone,
    ...(clusterId !== undefined && { clusterId }),
    tags: [...tags],
    groups: [...groups],
    acceptedAt: now,
    ...(by !== undefined && { acceptedBy: by }),
    ...(notBefore !== undefined && { notBefore }),
  };
  const events = [{ type: 'client.accepted', version: 1, data: { system: client.fp, fqdn: client.fqdn, zone, tags, groups } }];
  return write(next, `accepted into zone ${zone}${besideBecause(client)}`, { events });
}

/** What a key says that took the place of another already. The order counts as done. */
export const replacedAlready = 'it took its place already';

/**
 * A machine that was installed anew takes the place of its former key: whatever that one had it has from now on, and is
 * no longer held for it. Its node is the owner of its own slot, unless the former key was pinned.
 */
export function onReplace(
  client: ClientIn<'pooled' | 'accepted'>,
  { of, by, clusterId }: Extract<ClientCommand, { type: 'replace' }>,
  now: EpochMs,
): Decision<Client> {
  const { zone, tags, groups, pin, metadata } = of;
  const accepted = onAccept(client, { zone, tags, groups, by, duplicates: true, clusterId }, now);
  if (accepted.does !== 'write') return accepted;
  const next = {
    ...accepted.next,
    ...(pin && { pin }),
    ...(metadata && { metadata: { ...metadata, of: metadata.of ?? of.fp } }),
  };
  const data = { system: client.fp, fqdn: client.fqdn, zone, before: of.fp };
  return write<Client, Concluded>(
    claims.reduce((row, claim) => sharedAnew(row, claim, { after: [], gone: [of.fp] }), next),
    `accepted into zone ${zone} in the place of the key ${of.fp.slice(0, 16)}`,
    { events: [...accepted.events, { type: 'client.replaced', version: 1, data }] },
  );
}

type Ban = Extract<ClientCommand, { type: 'ban' }>;

function bannedBecause({ replacedBy, beside }: Ban): string {
  if (replacedBy !== undefined) return `the key ${replacedBy.slice(0, 16)} took its place: banned, for ever`;
  if (beside !== undefined) return `its minion has the key of ${beside.slice(0, 16)}, which is banned: banned, for ever`;
  return 'banned, for ever';
}

/** A ban is for ever. A key that takes the place of another takes its metadata too, and shares no claim with it. */
export function onBan(before: ClientIn<'pooled' | 'accepted'>, ban: Ban, now: EpochMs): Decision<Client> {
  const { replacedBy } = ban;
  const client = replacedBy === undefined ? before : withoutHeir(before, replacedBy);
  const { fp, publicKey, fqdn, machineId, sameMachineId, sameName, minion, facts, suggestedTags, firstSeenAt, seenAt } = client;
  const next: Client = {
    fp,
    ...(publicKey !== undefined && { publicKey }),
    fqdn,
    machineId,
    facts,
    suggestedTags,
    firstSeenAt,
    seenAt,
    ...(sameMachineId && { sameMachineId }),
    ...(sameName && { sameName }),
    ...(minion && { minion }),
    standing: 'banned',
    bannedAt: now,
    ...(client.zone !== undefined && { zone: client.zone }),
    ...(client.standing === 'accepted' && replacedBy === undefined && keptOf(client)),
    ...(replacedBy !== undefined && { replacedBy }),
  };
  return write(next, bannedBecause(ban), { events: [{ type: 'client.banned', version: 1, data: { system: fp, fqdn } }] });
}

/** What a key keeps through its ban, unless another takes its place with it. */
const keptOf = ({ clusterId, metadata }: ClientIn<'accepted'>): Pick<ClientIn<'banned'>, 'clusterId' | 'metadata'> => ({
  ...(clusterId !== undefined && { clusterId }),
  ...(metadata && { metadata }),
});

/** The key that takes its place no longer shares a claim with it. */
const withoutHeir = <C extends Client>(client: C, heir: Fingerprint): C =>
  claims.reduce((row, claim) => sharedAnew(row, claim, { after: [], gone: [heir] }), client);
