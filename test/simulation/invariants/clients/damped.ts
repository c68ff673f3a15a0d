import { generationAt } from '../../../../lib/zones/map/rows/roster.ts';
import { slotOf } from '../../../../lib/zones/map/rows/slots.ts';
import { byteOf, clientCall, isOwn } from '../client-calls.ts';
import { type ClientPast, ClientTruth, type Pin, pinsSince, type Stay } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';
import { nodeOfPin, ZonePast } from '../zones/zone-past.ts';
import { standingIn, type ZoneState } from '../zones/zone-truth.ts';

/**
 * Whether a client system may stay where it is because so much of its zone is silent: it is at home there, by its slot
 * or one of these pins, and its node is a member still.
 */
export function isDamped(zone: ZoneState, fp: string, { told }: Stay, pins: readonly (Pin | undefined)[] = []): boolean {
  const isMember =
    !['none', 'dropped'].includes(standingIn(zone, told.index)) && generationAt(zone.head.roster, told.index) === told.generation;
  const isHome =
    zone.map.home[slotOf(fp, zone.head.slots)] === told.index || pins.some((pin) => pin && nodeOfPin(zone, pin) === told.index);
  return zone.head.brakes.disrupted !== undefined && isMember && isHome;
}

/** A status that is not damped stops machines that work, because we do not hear their node. */
export const damped: Invariant = {
  name: 'a-disrupted-zone-orphans-nobody',
  says: 'while its zone is disrupted, who is confirmed at its home and does not say that it lost its node is not called an orphan when it knocks',
  begin: ({ violated, world }) => {
    const zones = new ZonePast();
    const clients = new ClientTruth();
    return {
      committed: (changes) => {
        zones.take(changes);
        clients.take(changes);
      },
      answered: (call) => {
        const about = isOwn(call) && byteOf(call) === '2' ? clientCall(call) : undefined;
        const { lost, confirmed } = (call.sent ?? {}) as { readonly lost?: boolean; readonly confirmed?: string };
        if (about?.name !== 'knock' || lost) return;
        const client = clients.of(about.fp);
        const stay = lastStay(client, call.askedAt - skewMs);
        if (client?.row.standing !== 'accepted' || !stay || stay.endedAt !== undefined) return;
        if (stay.confirmedAt === undefined || stay.confirmedAt > call.askedAt - skewMs) return;
        // It runs elsewhere than it was told: another machine has its key.
        if (confirmed !== undefined && confirmed !== zones.now(client.row.zone)?.members[stay.told.index]?.fqdn) return;
        const states = zones.between(client.row.zone, call.askedAt - world().cluster.zoneMaxAgeMs - skewMs, call.at);
        if (states.length > 0 && states.every((zone) => isDamped(zone, client.fp, stay)))
          violated(
            `${client.fp.slice(0, 8)} was called an orphan by ${call.by}, while node ${stay.told.index} is its home in a disrupted zone`,
          );
      },
    };
  },
};

/** Where it was told to be last; nowhere for one that is pinned, which has another home than that of its slot. */
const lastStay = (client: ClientPast | undefined, from: number): Stay | undefined =>
  client && pinsSince(client, from).some(Boolean) ? undefined : client?.stays.at(-1);
