import type { Token } from '../identity/token.ts';
import type { Fingerprint } from '../ids.ts';
import { admitsAt, type LoadedZone, servesAt } from '../zones/loaded.ts';
import { nobody, slotOf } from '../zones/slots.ts';
import type { Client } from './client.ts';

/** What a client system is told about itself, one ASCII digit on the wire. */
export const statusBytes = { new: '0', onboarded: '1', orphan: '2', deleted: '3' } as const;
export type Status = keyof typeof statusBytes;

/**
 * Every move of the status byte. Onboarded only when confirmed; deleted by a ban, for ever. A machine that knocked with a token of
 * another epoch is looked up in its row and keeps its place here.
 */
export const statusMoves = {
  new: ['orphan', 'deleted'],
  orphan: ['onboarded', 'deleted'],
  onboarded: ['orphan', 'deleted'],
  deleted: [],
} as const satisfies Record<Status, readonly Status[]>;

/** What a token or a row says about the node a client was told; undefined when it was told none. */
export type Placement = { readonly index: number; readonly generation: number; readonly confirmed: boolean };

/** The index of the node that should have this client now: its pin, else the owner of its slot; 0xFFFF nobody. */
export const ownerOf = (zone: LoadedZone, fp: string, pin: number): number =>
  pin === nobody ? zone.map.owner[slotOf(fp, zone.head.slots)]! : pin;

/** The status of an accepted client system: a pure function of where it was told to be and of the zone's map. */
export function placedStatus(zone: LoadedZone, fp: string, pin: number, told: Placement | undefined): 'onboarded' | 'orphan' {
  if (!told?.confirmed) return 'orphan';
  const owner = ownerOf(zone, fp, pin);
  return told.index === owner && servesAt(zone, owner, told.generation) ? 'onboarded' : 'orphan';
}

/** The status computed from a token alone. */
export const tokenStatus = (zone: LoadedZone, token: Token): 'onboarded' | 'orphan' => placedStatus(zone, token.fp, token.pin, token);

/** The status computed from a row; the zone is needed only for one that is accepted. */
export function rowStatus(client: Client | undefined, zone: LoadedZone | undefined): Status {
  if (!client || client.standing === 'pooled') return 'new';
  if (client.standing === 'banned') return 'deleted';
  return zone ? placedStatus(zone, client.fp, pinOf(client), placementOf(client)) : 'orphan';
}

/** The index a row pins its client to; 0xFFFF none. */
export const pinOf = (client: Client): number => (client.standing === 'accepted' && client.pin ? client.pin.index : nobody);

/** Where a row says its client was told to be. */
export function placementOf(client: Client): Placement | undefined {
  if (client.standing !== 'accepted' || !client.told) return undefined;
  const { index, generation, confirmedAt } = client.told;
  return { index, generation, confirmed: confirmedAt !== undefined };
}

/** Whether a token may be believed: its epoch, its age, and that nothing was revoked since it was minted. */
export function tokenHolds(zone: LoadedZone, token: Token, nowS: number, lifeS: number): boolean {
  if (token.epoch !== zone.head.epoch || token.issuedAtS + lifeS < nowS || token.issuedAtS < zone.tokensBefore) return false;
  if (zone.revokedAt.size === 0) return true;
  const revokedAt = zone.revokedAt.get(Number.parseInt(token.fp.slice(0, 8), 16));
  return revokedAt === undefined || token.issuedAtS > revokedAt;
}

/**
 * The place a client may be sent to now, as index: an owner that admits, or one that this client was told already and that serves,
 * because a machine on its way there is no new one. Undefined when it must wait.
 */
export function placeFor(zone: LoadedZone, fp: Fingerprint, pin: number, told: Placement | undefined): number | undefined {
  const owner = ownerOf(zone, fp, pin);
  if (told?.index === owner && servesAt(zone, owner, told.generation)) return owner;
  return admitsAt(zone, owner) ? owner : undefined;
}
