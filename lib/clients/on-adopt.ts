import { type Concluded, type Decision, nothing, write } from '../core/decision.ts';
import type { Fingerprint } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { Client, ClientIn } from './client.ts';
import { besideBecause, type Claim, claims, duplicateBecause, isDuplicate, type Shared, sharedOf, sharing } from './rows/claims.ts';
import type { ClientCommand } from './rows/command.ts';

type Adopt = Extract<ClientCommand, { type: 'adopt' }>;

/** Why nothing changes for a client system that the node has already. It counts as adopted. */
export const adoptedAlready = 'it is a client system of this node already';

/**
 * A system of a server that became a node is accepted where it is: at once, on that node, and pinned to it softly, so
 * that nothing moves it. It has not called yet, and its minion's key is all that is known of it. The plan gives it a
 * cluster id. One that Muster knows already is left as it is.
 */
export function onAdopt(client: Client | undefined, command: Adopt, now: EpochMs): Decision<Client> {
  if (client) return nothing(knownBecause(client, command));
  const { who, zone, node, by, others, duplicates } = command;
  const first: Client = {
    ...{ fp: who.fp, fqdn: who.fqdn, machineId: who.machineId },
    minion: { id: who.minion.id, fingerprint: who.fp, ofText: [...who.minion.ofText] },
    ...{ facts: {}, suggestedTags: [], firstSeenAt: now, seenAt: now },
    standing: 'accepted',
    ...{ zone, tags: [], groups: [], acceptedAt: now },
    ...(by !== undefined && { acceptedBy: by }),
    told: { index: node.index, node: node.id, generation: node.generation, at: now, confirmedAt: now },
    pin: { index: node.index, hard: false },
    ...(who.number !== undefined && { adopted: { node: node.id, number: who.number } }),
  };
  const next = claims.reduce<Client>((one, claim) => sharing(one, claim, { before: others[claim], after: [] }), first);
  if (isDuplicate(next) && !duplicates) return nothing(`held: ${duplicateBecause(next)}`);
  const data = { system: who.fp, fqdn: who.fqdn, zone, node: node.id, generation: node.generation };
  const events = [{ type: 'client.adopted', version: 1, data }];
  return write<Client, Concluded>(next, `adopted with ${node.name}${besideBecause(next)}`, { events });
}

/** Why a key that Muster knows is not adopted. */
function knownBecause(client: Client, { zone, node }: Adopt): string {
  switch (client.standing) {
    case 'banned':
      return 'its key is banned, for ever';
    case 'pooled':
      return 'its key waits in the onboarding pool: accept it there';
    case 'accepted': {
      if (client.zone !== zone) return `its key is that of a client system of zone ${client.zone}`;
      const isHere = client.pin?.index === node.index || client.told?.index === node.index;
      return isHere ? adoptedAlready : `its key is that of a client system of zone ${zone} on another node`;
    }
  }
}

/**
 * The daemon of a machine that was adopted introduces itself. The client system is known by its key from now on, has
 * what it had, and shares a claim with whomever it shared one.
 */
export function onIntroduce(
  client: Client | undefined,
  { who, boot, of, others }: Extract<ClientCommand, { type: 'introduce' }>,
  now: EpochMs,
): Decision<Client> {
  if (client?.standing === 'banned') return nothing('banned, for ever');
  if (client?.standing === 'accepted') return nothing('it is a client system of its own already');
  const { metadata, ...had } = of;
  const next: ClientIn<'accepted'> = {
    ...had,
    ...{ fp: who.fp, publicKey: who.publicKey, fqdn: who.fqdn, machineId: who.machineId, seenAt: now },
    ...{ facts: { ...who.facts }, suggestedTags: [...who.suggestedTags] },
    ...(boot && { boots: { last: [boot] } }),
    ...(metadata && { metadata: { ...metadata, of: metadata.of ?? of.fp } }),
  };
  const sharesOf = (claim: Claim): Shared => (client ? withoutKey(sharedOf(client, claim), of.fp) : { before: others[claim], after: [] });
  const shared = claims.reduce<ClientIn<'accepted'>>((row, claim) => sharing(row, claim, sharesOf(claim)), next);
  const data = { system: who.fp, fqdn: who.fqdn, zone: of.zone, before: of.fp };
  const events = [{ type: 'client.introduced', version: 1, data }];
  return write<Client, Concluded>(shared, 'the daemon of an adopted machine introduced itself: its key is the client system', { events });
}

const withoutKey = ({ before, after }: Shared, gone: Fingerprint): Shared => ({
  before: before.filter((fp) => fp !== gone),
  after: after.filter((fp) => fp !== gone),
});
