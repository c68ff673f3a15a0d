import { isSame, nothing, type Plan, type PlannedChange, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import { standingAt } from '../zones/map/rows/roster.ts';
import { slotOf } from '../zones/map/rows/slots.ts';
import { admits, admitted } from '../zones/map/rows/standing.ts';
import { goesAway, type PinChange, type Pins, type PinZone, togetherMs } from '../zones/pins/pins.ts';
import { isRetained } from '../zones/rows/kept.ts';
import type { LoadedZone } from '../zones/rows/loaded.ts';
import { endOf } from '../zones/turns/turn.ts';
import { type Revoked, revokedRef, type ZoneHead, zoneRef } from '../zones/zone.ts';
import { type Client, clientRef } from './client.ts';
import { decide } from './decide.ts';
import { pinChangesOf, pinsChange, type Read } from './pin-changes.ts';
import { withRevocations } from './plan.ts';
import type { ClientCommand } from './rows/command.ts';

/** The most client systems per commit: with head, revocations and pins they are one chain of the audit. */
export const pinsPerPlanMax = 46;

/** The input of pin plans: client rows of one zone, and the rows of that zone that pins change. */
export type PinSnapshot = {
  readonly clients: readonly Read<Client>[];
  readonly head: Read<ZoneHead> & { readonly wakeAt: EpochMs | undefined };
  /** The zone as this environment has it: its members, and the owner of each slot. */
  readonly loaded: Pick<LoadedZone, 'head' | 'members' | 'map' | 'turns'> | undefined;
  readonly revoked: Read<Revoked | undefined>;
  readonly pins: Read<Pins>;
};

/** A command that pins client systems, or lets them go by their slots again. */
export type PinCommand = Extract<ClientCommand, { type: 'pin' | 'unpin' | 'boot' | 'settle' }>;

/** What a commit says of the client systems in it. */
const done = { pin: 'pinned', unpin: 'unpinned', boot: 'heard of by its boot', settle: 'settled' } as const satisfies Record<
  PinCommand['type'],
  string
>;

/**
 * Pins client systems of one zone, or unpins them; also those for which two machines run, and that are settled. One
 * commit changes their rows, the count of each node, and the revocation of their tokens. The commit requires the head
 * as it was read, so that no node goes away while a client system is being pinned to it.
 */
export function planPins(snapshot: PinSnapshot, command: PinCommand, now: EpochMs): Plan {
  const { clients, head, revoked } = snapshot;
  const decided = clients.map(({ body, rev }) => ({ body, rev, decision: decide(body, command, now) }));
  const written = decided.filter(({ decision }) => decision.does === 'write');
  const because = decided.map(({ decision }) => decision.because);
  if (written.length === 0) return { changes: [], because };
  const rows = written.map(({ body, rev, decision }): PlannedChange => ({ ref: clientRef(body.fp), readRev: rev, decision }));
  const moved = written.filter(({ body, decision }) => decision.does === 'write' && !isSame(pinIn(body), pinIn(decision.next)));
  // Two machines may be found to run with a key that is on no node, or pinned to its node already.
  if (moved.length === 0) return { because, changes: rows };
  const zone = head.body.name;
  const why = `${written.length} ${done[command.type]}`;
  const changes = moved.flatMap(({ body, decision }) =>
    decision.does === 'write' ? pinChangesOf(body, decision.next, slotOwner(snapshot)) : [],
  );
  const fps = moved.map(({ body }) => body.fp);
  const tokens = write<Revoked, never>(withRevocations(revoked.body, fps, Math.floor(now / 1000)), why);
  return {
    because,
    changes: [...zoneChanges(snapshot, changes, why, now), { ref: revokedRef(zone), readRev: revoked.rev, decision: tokens }, ...rows],
  };
}

/** The rows of a zone whose pins change: its head as it was read, and the counts of its nodes. */
export function zoneChanges(
  snapshot: Pick<PinSnapshot, 'head' | 'loaded' | 'pins'>,
  changes: readonly PinChange[],
  because: string,
  now: EpochMs,
): PlannedChange[] {
  const { body, rev, wakeAt } = snapshot.head;
  const decision = body.pinned
    ? nothing('the zone is marked as pinned already', wakeAt)
    : write<ZoneHead, never>({ ...body, pinned: true }, because, { wakeAt });
  return [
    { ref: zoneRef(body.name), readRev: rev, decision },
    pinsChange(body.name, snapshot.pins, { changes, pinZone: pinZoneOf(snapshot, now), because }, now),
  ];
}

const pinIn = (client: Client) => (client.standing === 'accepted' ? client.pin : undefined);

/** The owner of the slot of a fingerprint, by index. */
const slotOwner =
  ({ loaded }: PinSnapshot) =>
  (fp: string): number | undefined =>
    loaded?.map.owner[slotOf(fp, loaded.head.slots)];

/**
 * The state of the nodes for the client systems that are pinned to them now, and for those being unpinned. If no node
 * admits, the rates are those of all members, which may admit again.
 */
function pinZoneOf({ head: { body: head }, loaded }: Pick<PinSnapshot, 'head' | 'loaded'>, now: EpochMs): PinZone {
  const members = loaded?.members ?? [];
  const ratesOf = (takes: (standing: number) => boolean): number[] =>
    members.flatMap((member, index) => (takes(standingAt(head.roster, index)) ? [member?.admitEveryMs ?? 0] : []));
  const rates = ratesOf(admits);
  const ends = [...(loaded?.turns.of.values() ?? [])].map(endOf);
  return {
    hostOf: (index) => ({
      index,
      awayAt: goesAway(standingAt(head.roster, index), isRetained(head, index, now)) ? now : undefined,
      everyMs: members[index]?.admitEveryMs ?? 0,
    }),
    elsewhere: {
      everyMs: togetherMs(rates.length > 0 ? rates : ratesOf(admitted)),
      busyUntil: ends.reduce((last, end) => (end > last ? end : last), now),
    },
  };
}
