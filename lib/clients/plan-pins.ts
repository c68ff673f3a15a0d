import { nothing, type Plan, type PlannedChange, write } from '../decision.ts';
import type { EpochMs } from '../units.ts';
import { isKept } from '../zones/kept.ts';
import { goesAway, type PinHost, type Pins, togetherMs } from '../zones/pins.ts';
import { standingAt } from '../zones/roster.ts';
import { admits } from '../zones/standing.ts';
import type { Member, Revoked, ZoneHead } from '../zones/zone.ts';
import type { Client } from './client.ts';
import type { ClientCommand } from './command.ts';
import { decide } from './decide.ts';
import { pinChangesOf, pinsChange, type Read } from './pin-changes.ts';
import { withRevocations } from './plan.ts';

/** Client systems of one commit: with head, revocations and pins it is one chain of the audit. */
export const pinsPerPlanMax = 46;

/** What pins are computed from: client rows of one zone, and of that zone what they change. */
export type PinSnapshot = {
  readonly clients: readonly Read<Client>[];
  readonly head: Read<ZoneHead> & { readonly wakeAt: EpochMs | undefined };
  readonly members: readonly (Member | undefined)[];
  readonly revoked: Read<Revoked | undefined>;
  readonly pins: Read<Pins>;
};

/**
 * Pins client systems of one zone, or lets them go: their rows, how many each node has, and the revocation of their tokens, in one commit. It
 * holds only for the head as it is, so that no node goes away while somebody is pinned to it unseen.
 */
export function planPins(snapshot: PinSnapshot, command: Extract<ClientCommand, { type: 'pin' | 'unpin' }>, now: EpochMs): Plan {
  const { clients, head, revoked, pins } = snapshot;
  const decided = clients.map(({ body, rev }) => ({ body, rev, decision: decide(body, command, now) }));
  const written = decided.filter(({ decision }) => decision.does === 'write');
  const because = decided.map(({ decision }) => decision.because);
  if (written.length === 0) return { changes: [], because };
  const zone = head.body.name;
  const why = `${written.length} ${command.type === 'pin' ? 'pinned' : 'pinned no more'}`;
  const changes = written.flatMap(({ body, decision }) => (decision.does === 'write' ? pinChangesOf(body, decision.next) : []));
  const fps = written.map(({ body }) => body.fp);
  const { wakeAt } = head;
  return {
    because,
    changes: [
      {
        ref: { noun: 'zone', id: zone },
        readRev: head.rev,
        decision: head.body.pinned
          ? nothing('it was looked at', wakeAt)
          : write<ZoneHead, never>({ ...head.body, pinned: true }, why, { wakeAt }),
      },
      {
        ref: { noun: 'revoked', id: zone },
        readRev: revoked.rev,
        decision: write<Revoked, never>(withRevocations(revoked.body, fps, Math.floor(now / 1000)), why),
      },
      pinsChange(zone, pins, { changes, hostOf: hostIn(snapshot, now), because: why }, now),
      ...written.map(({ body, rev, decision }): PlannedChange => ({ ref: { noun: 'client', id: body.fp }, readRev: rev, decision })),
    ],
  };
}

/** How a node stands to those who are pinned to it now, or were. */
function hostIn({ head: { body: head }, members }: PinSnapshot, now: EpochMs): (index: number) => PinHost {
  const takers = members.filter((_, index) => admits(standingAt(head.roster, index)));
  const elsewhereMs = togetherMs(takers.map((member) => member?.admitEveryMs ?? 0));
  return (index) => ({
    ...{ index, elsewhereMs },
    awayAt: goesAway(standingAt(head.roster, index), isKept(head, index, now)) ? now : undefined,
    everyMs: members[index]?.admitEveryMs ?? 0,
  });
}
