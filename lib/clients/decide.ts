import { type Decision, isSame, nothing, write } from '../decision.ts';
import { type EpochMs, plusMs, unreachable } from '../units.ts';
import { type Client, type ClientIn, pooledForMs, seenEveryMs, type Told } from './client.ts';
import type { ClientCommand, KnockFacts } from './command.ts';

/** Decides what a knock, a place, a confirmation or an administrator's word means for one client system. */
export function decide(client: Client | undefined, command: ClientCommand, now: EpochMs): Decision<Client> {
  if (command.type === 'knock') return client ? onKnockAgain(client, command.who, now) : onFirstKnock(command.who, now);
  if (!client) return nothing('this key never knocked');
  if (client.standing === 'banned') return nothing('banned, for ever');
  switch (command.type) {
    case 'accept':
      return onAccept(client, command, now);
    case 'ban':
      return onBan(client, now);
    case 'seen':
      return onSeen(client, now);
    case 'edit':
    case 'tell':
    case 'confirm':
    case 'unregister':
      return client.standing === 'accepted' ? onPlaced(client, command, now) : nothing('not accepted yet');
    default:
      return unreachable(command);
  }
}

function onFirstKnock(who: KnockFacts, now: EpochMs): Decision<Client> {
  const next = { ...said(who), standing: 'pooled', firstSeenAt: now, seenAt: now } as Client;
  const events = [{ type: 'client.seen', version: 1, data: { system: who.fp, fqdn: who.fqdn } }];
  return write(next, 'an unknown machine knocked; it waits in the onboarding pool', { events, expiresAt: plusMs(now, pooledForMs) });
}

function onKnockAgain(client: Client, who: KnockFacts, now: EpochMs): Decision<Client> {
  if (client.standing === 'banned') return nothing('banned, for ever');
  const { fqdn, facts, minion } = said(who);
  const changed = client.fqdn !== fqdn || !isSame(client.facts, facts) || (minion !== undefined && !isSame(client.minion, minion));
  if (!changed) return onSeen(client, now);
  const next: Client = { ...client, fqdn, facts, ...(minion && { minion }), seenAt: now };
  return write<Client, never>(next, 'it describes itself anew', kept(client, now));
}

function onAccept(
  client: ClientIn<'pooled' | 'accepted'>,
  { zone, tags, groups }: Extract<ClientCommand, { type: 'accept' }>,
  now: EpochMs,
): Decision<Client> {
  if (client.standing === 'accepted') return nothing(`accepted already, in zone ${client.zone}`);
  const next = { ...client, standing: 'accepted', zone, tags: [...tags], groups: [...groups], acceptedAt: now } as Client;
  const events = [{ type: 'client.accepted', version: 1, data: { system: client.fp, fqdn: client.fqdn, zone, tags, groups } }];
  return write(next, `accepted into zone ${zone}`, { events });
}

function onBan(client: ClientIn<'pooled' | 'accepted'>, now: EpochMs): Decision<Client> {
  const { fp, publicKey, fqdn, machineId, minion, facts, suggestedTags, firstSeenAt, seenAt } = client;
  const next: Client = {
    fp,
    publicKey,
    fqdn,
    machineId,
    facts,
    suggestedTags,
    firstSeenAt,
    seenAt,
    ...(minion && { minion }),
    standing: 'banned',
    bannedAt: now,
    ...(client.standing === 'accepted' && { zone: client.zone }),
  };
  return write(next, 'banned, for ever', { events: [{ type: 'client.banned', version: 1, data: { system: fp, fqdn } }] });
}

function onSeen(client: ClientIn<'pooled' | 'accepted'>, now: EpochMs): Decision<Client> {
  if (now - client.seenAt < seenEveryMs) return nothing('seen within the hour');
  return write<Client, never>({ ...client, seenAt: now }, 'a sign of life', kept(client, now));
}

type PlacedCommand = Extract<ClientCommand, { type: 'edit' | 'tell' | 'confirm' | 'unregister' }>;

function onPlaced(client: ClientIn<'accepted'>, command: PlacedCommand, now: EpochMs): Decision<Client> {
  switch (command.type) {
    case 'edit':
      return write<Client, never>(
        { ...client, tags: [...(command.tags ?? client.tags)], groups: [...(command.groups ?? client.groups)] } as Client,
        'tags or groups edited',
      );
    case 'tell':
      return onTell(client, command, now);
    case 'confirm':
      return onConfirm(client, command, now);
    case 'unregister': {
      const { told: _cleared, ...next } = client;
      if (!client.told) return nothing('it is on no node');
      const events = [{ type: 'client.unregistered', version: 1, data: { system: client.fp, fqdn: client.fqdn } }];
      return write<Client, (typeof events)[number]>(next, 'unregistered: an orphan, its key stays accepted', { events });
    }
    default:
      return unreachable(command);
  }
}

/** Written once per placement, by the client's own call; the same place again costs nothing. */
function onTell(
  client: ClientIn<'accepted'>,
  { index, node, generation }: Extract<ClientCommand, { type: 'tell' }>,
  now: EpochMs,
): Decision<Client> {
  if (client.told?.index === index && client.told.generation === generation) return nothing('it was told this node already');
  const told: Told = { index, node, generation, at: now };
  const events = [
    { type: 'client.assigned', version: 1, data: { system: client.fp, fqdn: client.fqdn, zone: client.zone, node, generation } },
  ];
  return write<Client, (typeof events)[number]>({ ...client, told, seenAt: now }, 'told its node', { events });
}

function onConfirm(
  client: ClientIn<'accepted'>,
  { index, generation, by }: Extract<ClientCommand, { type: 'confirm' }>,
  now: EpochMs,
): Decision<Client> {
  const { told } = client;
  if (!told || told.index !== index || told.generation !== generation) return nothing('a confirmation for another place than it was told');
  if (told.confirmedAt !== undefined) return nothing('confirmed already');
  return write<Client, never>(
    { ...client, told: { ...told, confirmedAt: now }, seenAt: now },
    by === 'daemon' ? 'its daemon confirmed' : "its node's digest shows it",
  );
}

const said = ({ fp, publicKey, fqdn, machineId, minion, facts, suggestedTags }: KnockFacts) => ({
  fp,
  publicKey,
  fqdn,
  machineId,
  facts: { ...facts },
  suggestedTags: [...suggestedTags],
  ...(minion && { minion }),
});

/** A pooled key lives on with each knock; an accepted one lives for ever. */
const kept = (client: Client, now: EpochMs) => (client.standing === 'pooled' ? { expiresAt: plusMs(now, pooledForMs) } : {});
