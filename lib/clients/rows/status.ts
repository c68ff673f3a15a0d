import { type EpochMs, plusMs } from '../../core/time.ts';
import type { Token } from '../../identity/token.ts';
import { isDisrupted } from '../../zones/guardrails/guardrails.ts';
import { generationAt, standingAt } from '../../zones/map/rows/roster.ts';
import { nobody, slotOf } from '../../zones/map/rows/slots.ts';
import { admitted } from '../../zones/map/rows/standing.ts';
import { leftTurnOf, pinnedNow, pinTurnOf } from '../../zones/pins/pins.ts';
import { paceWithin } from '../../zones/rows/admission.ts';
import { isRetained } from '../../zones/rows/kept.ts';
import { admitsAt, type LoadedZone, servesAt } from '../../zones/rows/loaded.ts';
import { turnOf } from '../../zones/turns/turn.ts';
import type { Client } from '../client.ts';

/** The status that a client system receives, one ASCII digit on the wire. */
export const statusBytes = { new: '0', onboarded: '1', orphan: '2', deleted: '3' } as const;
export type Status = keyof typeof statusBytes;

/**
 * Every move of the status byte. Onboarded only when confirmed; deleted by a ban, for ever. A machine that knocks with
 * a token of another epoch is looked up in its row, and keeps its place here.
 */
export const statusMoves = {
  new: ['orphan', 'deleted'],
  orphan: ['onboarded', 'deleted'],
  onboarded: ['orphan', 'deleted'],
  deleted: [],
} as const satisfies Record<Status, readonly Status[]>;

/** The assignment of a client by its token or its row; undefined when it has none. */
export type Placement = { readonly index: number; readonly generation: number; readonly confirmed: boolean };

/**
 * The client, and the index of the node that it is pinned to, 0xFFFF for none. `soft`: it goes by its slot while that
 * node is away.
 */
export type Pinned = { readonly fp: string; readonly pin: number; readonly soft: boolean };

/** A client as its token or its row places it. */
export type Placed = Pinned & { readonly told: Placement | undefined };

/** The time of the call, and whether the client reports that it does not hear its node. */
export type Asked = { readonly now: EpochMs; readonly lost?: boolean | undefined };

/** The index of the node that should have this client now: its pin, else the owner of its slot; 0xFFFF for none. */
export const ownerOf = (zone: LoadedZone, who: Pinned): number =>
  goesBySlot(zone, who) ? zone.map.owner[slotOf(who.fp, zone.head.slots)]! : pinnedNow(zone.pins, who.pin);

/** Whether the map determines its node: it is not pinned, or is pinned softly to a node that is away. */
export const goesBySlot = (zone: LoadedZone, { pin, soft }: Pinned): boolean =>
  pin === nobody || (soft && zone.pins.get(pin)?.awayAt !== undefined);

/** The status of an accepted client system: a pure function of its assignment and of the map of the zone. */
export function placedStatus(zone: LoadedZone, placed: Placed, asked: Asked): 'onboarded' | 'orphan' {
  const { told } = placed;
  if (!told?.confirmed) return 'orphan';
  const isServed = servesAt(zone, told.index, told.generation);
  if (isServed && (told.index === ownerOf(zone, placed) || waitsFor(zone, placed, asked.now) !== undefined)) return 'onboarded';
  return isHeld(zone, placed, asked) ? 'onboarded' : 'orphan';
}

/**
 * Whether a client stays on its node although that is down, or its slot has moved: the node is its home, and the client
 * does not report it lost. It stays while the clients of its node are retained for it, because a reboot should cost no
 * client a new registration. It also stays in a disrupted zone, where an apparent loss may be none (guard-rail 9): a
 * client that works must not stop.
 */
export function isHeld(zone: LoadedZone, placed: Placed, { now, lost }: Asked): boolean {
  const { fp, pin, soft, told } = placed;
  if (lost || !told) return false;
  const { head, map } = zone;
  if (!isRetained(head, told.index, now) && !(isDisrupted(head) && isAway(zone, placed, told))) return false;
  if (generationAt(head.roster, told.index) !== told.generation) return false;
  if (pin !== nobody && told.index === pinnedNow(zone.pins, pin)) return true;
  return (pin === nobody || soft) && told.index === map.home[slotOf(fp, head.slots)];
}

/** Whether the node that a client is assigned to is still a member, but does not serve it by the map. */
function isAway(zone: LoadedZone, who: Pinned, { index, generation }: Placement): boolean {
  if (!admitted(standingAt(zone.head.roster, index))) return false;
  return index !== ownerOf(zone, who) || !servesAt(zone, index, generation);
}

/**
 * The turn that a client waits for because its slot was moved, or because it goes to its pin or leaves it; undefined
 * when it waits for none. It stays on its former node while that serves it.
 */
export function waitsFor(zone: LoadedZone, who: Placed, now: EpochMs): EpochMs | undefined {
  const bySlot = goesBySlot(zone, who) ? turnOf(zone.turns, who.fp) : undefined;
  const turn = zone.pins.size === 0 ? bySlot : later(bySlot, turnByPins(zone, who));
  return turn !== undefined && turn > now ? turn : undefined;
}

/**
 * The turn at the node that it is pinned to or, if it was unpinned, at the node of its slot. If its slot was moved from
 * its present node, the turn of the move applies instead.
 */
function turnByPins(zone: LoadedZone, { fp, pin, told }: Placed): EpochMs | undefined {
  if (pin !== nobody) return pinTurnOf(zone.pins, pin, fp);
  if (!told || told.index === zone.map.owner[slotOf(fp, zone.head.slots)]) return undefined;
  const moved = zone.turns.of.get(slotOf(fp, zone.turns.slots));
  return moved?.from === told.index ? undefined : leftTurnOf(zone.pins, told.index, fp);
}

const later = (a: EpochMs | undefined, b: EpochMs | undefined): EpochMs | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a;

/** The status computed from a token alone. */
export const tokenStatus = (zone: LoadedZone, token: Token, asked: Asked): 'onboarded' | 'orphan' =>
  placedStatus(zone, heldBy(token), asked);

/** A client as its token places it. */
export const heldBy = (token: Token): Placed => ({ fp: token.fp, pin: token.pin, soft: token.soft, told: token });

/** The status computed from a row; the zone is needed only for one that is accepted. */
export function rowStatus(client: Client | undefined, zone: LoadedZone | undefined, asked: Asked): Status {
  if (!client || client.standing === 'pooled') return 'new';
  if (client.standing === 'banned') return 'deleted';
  return zone ? placedStatus(zone, placedOf(client), asked) : 'orphan';
}

/** A client as its row places it. */
export const placedOf = (client: Client): Placed => ({ ...pinnedOf(client), told: placementOf(client) });

/** The node that its row pins it to. */
export function pinnedOf(client: Client): Pinned {
  const pin = client.standing === 'accepted' ? client.pin : undefined;
  return { fp: client.fp, pin: pin?.index ?? nobody, soft: pin?.hard === false };
}

/** The earliest moment when an accepted client may be assigned its next node; undefined when it need not wait. */
export function turnOfClient(zone: LoadedZone, client: Client, { now }: Asked): EpochMs | undefined {
  if (client.standing !== 'accepted') return undefined;
  const { notBefore } = client;
  const stamped = notBefore !== undefined && notBefore > now && !client.told ? notBefore : undefined;
  const turn = waitsFor(zone, placedOf(client), now);
  return stamped === undefined || (turn !== undefined && turn > stamped) ? turn : stamped;
}

/** When a client has its turn, and the earliest moment that the turn may come to before the client asks again. */
export type TurnTimes = { readonly turnAt?: EpochMs; readonly soonestAt?: EpochMs };

/** These times of an accepted client, by its row; empty when it need not wait. */
export const turnTimesOf = (zone: LoadedZone, client: Client, { now }: Asked): TurnTimes =>
  turnTimes(zone, placedOf(client), turnOfClient(zone, client, { now }), now);

/** These times of a client that waits for a turn. A turn comes sooner once its node is found to bear more. */
export function turnTimes(zone: LoadedZone, placed: Placed, turnAt: EpochMs | undefined, now: EpochMs): TurnTimes {
  if (turnAt === undefined) return {};
  const { admission } = zone.head;
  const { pace, admitEveryMs } = zone.members[ownerOf(zone, placed)] ?? {};
  const soonestMs = admission && pace && paceWithin(pace, admission).soonestMs;
  // The moment that a client was given when it was accepted with others stays as it is.
  if (soonestMs === undefined || admitEveryMs === undefined || waitsFor(zone, placed, now) !== turnAt) return { turnAt };
  return { turnAt, soonestAt: plusMs(now, Math.floor(((turnAt - now) * soonestMs) / admitEveryMs)) };
}

/** The assignment of a client by its row. */
export function placementOf(client: Client): Placement | undefined {
  if (client.standing !== 'accepted' || !client.told) return undefined;
  const { index, generation, confirmedAt } = client.told;
  return { index, generation, confirmed: confirmedAt !== undefined };
}

/** Whether a token is valid: by its epoch, its age, and revocations since it was minted. */
export function tokenHolds(zone: LoadedZone, token: Token, nowS: number, lifeS: number): boolean {
  if (token.epoch !== zone.head.epoch || token.issuedAtS + lifeS < nowS || token.issuedAtS < zone.tokensBefore) return false;
  if (zone.revokedAt.size === 0) return true;
  const revokedAt = zone.revokedAt.get(Number.parseInt(token.fp.slice(0, 8), 16));
  return revokedAt === undefined || token.issuedAtS > revokedAt;
}

/**
 * The node that a client may be sent to now, by index: an owner that admits. A node that this client is assigned to
 * already and that serves also counts, because a machine on its way there is not a new one; before its turn, that is
 * the node it comes from. Undefined when it must wait.
 */
export function placeFor(zone: LoadedZone, placed: Placed, { now }: Asked): number | undefined {
  const { told } = placed;
  const owner = ownerOf(zone, placed);
  if (told?.index === owner && servesAt(zone, owner, told.generation)) return owner;
  if (waitsFor(zone, placed, now) !== undefined) return told && servesAt(zone, told.index, told.generation) ? told.index : undefined;
  return admitsAt(zone, owner) ? owner : undefined;
}
