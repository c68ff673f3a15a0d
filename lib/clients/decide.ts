import { type Concluded, type Decision, isSame, nothing, write } from '../core/decision.ts';
import { type EpochMs, plusMs, unreachable } from '../core/time.ts';
import { type Assignment, type Client, type ClientIn, leadsOn, type Minion, pooledForMs, seenEveryMs } from './client.ts';
import { onAccept, onBan, onReplace } from './on-accept.ts';
import { onAdopt, onIntroduce } from './on-adopt.ts';
import { bootEvents, onBoot, onSettle, settleFirst, withBoot } from './on-boot.ts';
import { onPin, onUnpin } from './on-pin.ts';
import { calling, heardByCall, onHeard, onSilent } from './on-silence.ts';
import {
  type Claim,
  claimedBy,
  claims,
  duplicateBecause,
  duplicated,
  isDuplicate,
  type Shared,
  sharedAnew,
  sharedOf,
  sharing,
  wordOf,
} from './rows/claims.ts';
import type { ClientCommand, KnockFacts, PresentedToken } from './rows/command.ts';

/** Decides what a knock, an assignment, a confirmation or an administrator's command means for one client system. */
export function decide(client: Client | undefined, command: ClientCommand, now: EpochMs): Decision<Client> {
  if (command.type === 'knock') return client ? onKnockAgain(client, command, now) : onFirstKnock(command, now);
  if (command.type === 'adopt') return onAdopt(client, command, now);
  if (command.type === 'introduce') return onIntroduce(client, command, now);
  if (!client) return nothing('this key never knocked');
  if (leadsOn(client)) return nothing('it is known by the key of its daemon by now');
  if (client.standing === 'banned') return nothing('banned, for ever');
  switch (command.type) {
    case 'accept':
      return onAccept(client, command, now);
    case 'replace':
      return onReplace(client, command, now);
    case 'ban':
      return onBan(client, command, now);
    case 'seen':
      return onSeen(client, now);
    case 'share-claim':
      return onShared(client, command);
    case 'settle':
      return onSettle(client, 'operator');
    case 'boot':
    case 'edit':
    case 'label':
    case 'pin':
    case 'unpin':
    case 'tell':
    case 'confirm':
    case 'silent':
    case 'heard':
    case 'unregister':
      return client.standing === 'accepted' ? onPlaced(client, command, now) : nothing('not accepted yet');
    default:
      return unreachable(command);
  }
}

type Knock = Extract<ClientCommand, { type: 'knock' }>;

function onFirstKnock({ who, unsigned, boot, token, others }: Knock, now: EpochMs): Decision<Client> {
  const { refused } = refusedBy(token);
  const data = { system: who.fp, fqdn: who.fqdn, ...(refused !== undefined && { tokenRefused: refused }) };
  const seen = { type: 'client.seen', version: 1, data };
  const first = {
    ...descriptionOf(who),
    ...(who.zone !== undefined && { zone: who.zone }),
    standing: 'pooled',
    firstSeenAt: now,
    seenAt: now,
    ...(unsigned && { unsigned }),
    ...(boot && { boots: { last: [boot] } }),
    ...refusedBy(token),
  } as Pooled;
  const next = claims.reduce((client, claim) => sharing(client, claim, { before: others?.[claim] ?? [], after: [] }), first);
  const events = [seen, ...claims.flatMap((claim) => duplicated(next, claim, []))];
  if (token && 'accepts' in token) return onToken(next, token.accepts, now, events);
  return write<Client, Concluded>(next, `an unknown machine knocked; ${waits(next)}`, {
    events,
    expiresAt: plusMs(now, pooledForMs),
  });
}

function onKnockAgain(client: Client, knock: Knock, now: EpochMs): Decision<Client> {
  const { unsigned, token } = knock;
  if (client.standing === 'banned') return nothing('banned, for ever');
  if (unsigned && (client.standing === 'accepted' || !client.unsigned)) return nothing('the knock is unsigned, so it changes nothing');
  const described = withId(withBoot(describedBy(client, knock), knock.boot), knock);
  const events = [
    ...claims.flatMap((claim) => duplicated(described, claim, sharedBefore(client, described, claim).before)),
    ...bootEvents(client, described),
  ];
  if (described.standing === 'accepted')
    return isSame(client, described)
      ? onSeen(client, now)
      : write<Client, Concluded>(calling(described, now), changedBecause(client, described, knock.boot), {
          events: [...events, ...heardByCall(client)],
        });
  const { refused: before, ...pooled } = described;
  if (token && 'accepts' in token) return onToken({ ...pooled, seenAt: now }, token.accepts, now, events);
  const next: Pooled = { ...pooled, ...refusedBy(token) };
  if (isSame(client, next)) return onSeen(client, now);
  const because = next.refused === before ? changedBecause(client, next, knock.boot) : waits(next);
  return write<Client, Concluded>({ ...next, seenAt: now }, because, { events, ...expiryOf(client, now) });
}

/** A client system that was accepted before there were cluster ids has one from now on. */
const withId = <C extends Pooled | ClientIn<'accepted'>>(client: C, { clusterId }: Knock): C =>
  client.standing === 'accepted' && client.clusterId === undefined && clusterId !== undefined ? { ...client, clusterId } : client;

/** Why a knock changes the row of a machine: another boot of its daemon alone, or what it says of itself. */
function changedBecause(client: Client, next: Pooled | ClientIn<'accepted'>, boot: Knock['boot']): string {
  const isBootAlone = isSame({ ...client, boots: next.boots, seenAt: next.seenAt }, next);
  return boot && isBootAlone ? `boot ${boot.id} of its daemon spoke` : 'its description changed';
}

/**
 * The row with the machine's present description. A signed knock clears `unsigned`. What the machine claims changes
 * only if the knock looked for the other keys that claim it.
 */
function describedBy(client: Pooled | ClientIn<'accepted'>, { who, unsigned, others }: Knock): Pooled | ClientIn<'accepted'> {
  const { fqdn, facts, minion, machineId } = descriptionOf(who);
  const { unsigned: _until, ...known } = client.standing === 'pooled' ? asking(client, who) : client;
  const described = { ...known, ...(unsigned && { unsigned }), facts, ...(minion && { minion }) };
  if (!others) return { ...described, ...(minion && { minion: asKnown(minion, client.minion) }) };
  return claims.reduce<Pooled | ClientIn<'accepted'>>(
    (next, claim) => sharing(next, claim, { before: others[claim], after: sharedBefore(client, next, claim).after }),
    { ...described, machineId, fqdn },
  );
}

/** The keys that shared a claim of a client system before a knock, which may claim something else. */
const sharedBefore = (was: Client, is: Client, claim: Claim): Shared =>
  claimedBy(claim, was) === claimedBy(claim, is) ? sharedOf(was, claim) : { before: [], after: [] };

/**
 * The minion of a knock that changes one row alone. A row of an earlier version goes on without the other fingerprints
 * of its minion, until the rows that find it by those are written too.
 */
function asKnown(minion: Minion, was: Minion | undefined): Minion {
  if (minion.fingerprint !== was?.fingerprint) return minion;
  const { ofText: _unwritten, ...same } = minion;
  return { ...same, ...(was.ofText !== undefined && { ofText: was.ofText }) };
}

/** A waiting machine asks for the zone that its last knock names, or for none. */
function asking({ zone: _before, ...client }: Pooled, { zone }: KnockFacts): Pooled {
  return { ...client, ...(zone !== undefined && { zone }) };
}

/** Another key makes a claim of it, or no longer does. The standing of the client system stays. */
function onShared(client: Pooled | ClientIn<'accepted'>, news: Extract<ClientCommand, { type: 'share-claim' }>): Decision<Client> {
  const next = sharedAnew(client, news.claim, news);
  if (isSame(client, next)) return nothing('the other keys are recorded already');
  const because = `another key ${news.after.length > 0 ? 'also' : 'no longer'} reports its ${wordOf[news.claim]}`;
  return write<Client, never>(next, because, expiryOf(client, client.seenAt));
}

type Pooled = ClientIn<'pooled'>;
type Accepting = Extract<PresentedToken, { accepts: unknown }>['accepts'];

/** Accepted at once. The same commit counts the use of the token. */
function onToken(
  client: Pooled,
  { token, zone, tags, groups, clusterId }: Accepting,
  now: EpochMs,
  events: readonly Concluded[],
): Decision<Client> {
  const decision = onAccept(client, { zone, tags, groups, by: `token:${token}`, clusterId }, now);
  if (decision.does !== 'write') return decision;
  return { ...decision, because: `accepted into zone ${zone} by the onboarding token ${token}`, events: [...events, ...decision.events] };
}

const refusedBy = (token: PresentedToken | undefined): { readonly refused?: string } =>
  token && 'refused' in token ? { refused: token.refused } : {};

const waits = (client: Pooled): string => {
  const { refused } = client;
  if (refused !== undefined) return `it waits in the onboarding pool; its onboarding token was refused: ${refused}`;
  return isDuplicate(client) ? `it is held in the onboarding pool: ${duplicateBecause(client)}` : 'it waits in the onboarding pool';
};

function onSeen(client: ClientIn<'pooled' | 'accepted'>, now: EpochMs): Decision<Client> {
  const events = heardByCall(client);
  if (now - client.seenAt < seenEveryMs && events.length === 0) return nothing('seen within the hour');
  const because = client.standing === 'pooled' && client.refused !== undefined ? waits(client) : 'its daemon called';
  const next = client.standing === 'accepted' ? calling(client, now) : { ...client, seenAt: now };
  return write<Client, Concluded>(next, because, { events, ...expiryOf(client, now) });
}

type PlacedCommand = Extract<
  ClientCommand,
  { type: 'boot' | 'edit' | 'label' | 'pin' | 'unpin' | 'tell' | 'confirm' | 'silent' | 'heard' | 'unregister' }
>;

function onPlaced(client: ClientIn<'accepted'>, command: PlacedCommand, now: EpochMs): Decision<Client> {
  switch (command.type) {
    case 'boot':
      return onBoot(client, command.boot);
    case 'edit':
      return labelled(client, command.tags ?? client.tags, command.groups ?? client.groups, 'tags or groups edited');
    case 'label':
      return onLabel(client, command);
    case 'pin':
      return client.copied ? nothing(settleFirst) : onPin(client, command);
    case 'unpin':
      return client.copied ? nothing(settleFirst) : onUnpin(client);
    case 'tell':
      return onAssign(client, command, now);
    case 'confirm':
      return onConfirm(client, command, now);
    case 'silent':
      return onSilent(client, command);
    case 'heard':
      return onHeard(client);
    case 'unregister': {
      const { told: _cleared, silentSince: _until, ...next } = client;
      if (!client.told) return nothing('it is on no node');
      const events = [{ type: 'client.unregistered', version: 1, data: { system: client.fp, fqdn: client.fqdn } }];
      return write<Client, (typeof events)[number]>(next, 'unregistered: it is an orphan, and its key stays accepted', { events });
    }
    default:
      return unreachable(command);
  }
}

/** The most tags, and the most groups, that a client system has. */
const labelsMax = 64;

function onLabel(client: ClientIn<'accepted'>, { tags, groups }: Extract<ClientCommand, { type: 'label' }>): Decision<Client> {
  const next = { tags: changedBy(client.tags, tags), groups: changedBy(client.groups, groups) };
  if (isSame(next, { tags: client.tags, groups: client.groups })) return nothing('it is so already');
  if (next.tags.length > labelsMax || next.groups.length > labelsMax) return nothing(`it would have more than ${labelsMax} tags or groups`);
  const because = `tags: ${next.tags.join(', ') || 'none'}; groups: ${next.groups.join(', ') || 'none'}`;
  return labelled(client, next.tags, next.groups, because);
}

/** The labels that stay, then the new ones, each in its original order. */
const changedBy = (
  had: readonly string[],
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
): string[] => [...new Set([...had.filter((one) => !remove.includes(one)), ...add])];

function labelled(client: ClientIn<'accepted'>, tags: readonly string[], groups: readonly string[], because: string): Decision<Client> {
  const next = { ...client, tags: [...tags], groups: [...groups] } as Client;
  const { fp: system, fqdn, zone } = client;
  const events = [{ type: 'client.labelled', version: 1, data: { system, fqdn, zone, tags: [...tags], groups: [...groups] } }];
  return write<Client, Concluded>(next, because, { events: isSame(client, next) ? [] : events });
}

/** The client's own call writes it, once per placement; the same placement again costs nothing. */
function onAssign(
  client: ClientIn<'accepted'>,
  { index, node, generation }: Extract<ClientCommand, { type: 'tell' }>,
  now: EpochMs,
): Decision<Client> {
  if (client.told?.index === index && client.told.generation === generation) return nothing('already assigned to this node');
  const told: Assignment = { index, node, generation, at: now };
  const events = [
    { type: 'client.assigned', version: 1, data: { system: client.fp, fqdn: client.fqdn, zone: client.zone, node, generation } },
  ];
  return write<Client, Concluded>({ ...calling(client, now), told }, 'assigned to its node', {
    events: [...heardByCall(client), ...events],
  });
}

function onConfirm(
  client: ClientIn<'accepted'>,
  { index, generation, by }: Extract<ClientCommand, { type: 'confirm' }>,
  now: EpochMs,
): Decision<Client> {
  const { told } = client;
  if (!told || told.index !== index || told.generation !== generation) return nothing('the confirmation is not for its present assignment');
  if (told.confirmedAt !== undefined) return nothing('confirmed already');
  return write<Client, Concluded>(
    { ...calling(client, now), told: { ...told, confirmedAt: now } },
    by === 'daemon' ? 'its daemon confirmed' : "its node's digest shows it",
    { events: heardByCall(client) },
  );
}

const descriptionOf = ({ fp, publicKey, fqdn, machineId, minion, facts, suggestedTags }: KnockFacts) => ({
  fp,
  publicKey,
  fqdn,
  machineId,
  facts: { ...facts },
  suggestedTags: [...suggestedTags],
  ...(minion && { minion: minionOf(minion) }),
});

const minionOf = ({ id, fingerprint, ofText }: NonNullable<KnockFacts['minion']>): Minion => ({
  id,
  fingerprint,
  ...(ofText !== undefined && { ofText: [...ofText] }),
});

/** Each knock renews a pooled key; an accepted key never expires. */
const expiryOf = (client: Client, now: EpochMs) => (client.standing === 'pooled' ? { expiresAt: plusMs(now, pooledForMs) } : {});
