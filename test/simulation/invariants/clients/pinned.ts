import type { Answered } from '../../watching.ts';
import { isLegacy } from '../../world/legacy.ts';
import { clientCall, nameTold } from '../client-calls.ts';
import { type ClientPast, ClientTruth, isWithin, pinsSince } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';
import { turnWith } from '../turns.ts';
import { ZonePast } from '../zones/zone-past.ts';
import { standingIn, type ZoneState } from '../zones/zone-truth.ts';

/** A pin that is not kept is worse than none: what the machine wants is there and nowhere else. */
export const pinned: Invariant = {
  name: 'a-pin-is-kept',
  says: 'whoever is pinned is told the node that it is pinned to, and until its turn there the one that it is on, and no other while that may serve, or may have its own again where it was away when an operator froze moves; hard, no other at all; in the end it is onboarded there if that node is up',
  begin: ({ violated, world }) => {
    const zones = new ZonePast();
    const clients = new ClientTruth();
    return {
      committed: (changes) => {
        zones.take(changes);
        clients.take(changes);
      },
      answered: (call) => {
        const fqdn = nameTold(call);
        const client = fqdn === undefined ? undefined : clients.of(clientCall(call)!.fp);
        if (client?.row.standing !== 'accepted') return;
        const from = call.askedAt - world().cluster.zoneMaxAgeMs;
        const pins = pinsSince(client, from);
        const states = zones.between(client.row.zone, from, call.at);
        const isKept = pins.some(
          (pin) =>
            !pin ||
            states.some((zone) => {
              const index = zone.pins?.get(pin.index)?.to ?? pin.index;
              if (zone.members[index]?.fqdn === fqdn || (!pin.hard && (standingIn(zone, index) !== 'up' || isFrozenAway(zone, pin.index))))
                return true;
              return turnWith(zone, client.fp, { pin, on: undefined }) > call.askedAt - skewMs && isOn(client, zone.members, fqdn!, call);
            }),
        );
        if (!isKept)
          violated(`${client.fp.slice(0, 8)} was told ${fqdn}, and is pinned ${pins.at(-1)!.hard ? 'hard' : 'softly'} elsewhere`);
      },
      unrest: () =>
        [...clients.all.values()].flatMap(({ row, fp }) => {
          const pin = row.standing === 'accepted' ? row.pin : undefined;
          const zone = row.standing === 'accepted' ? zones.now(row.zone) : undefined;
          if (!pin || !zone || row.standing !== 'accepted' || !row.told || isLegacy(world().hosts, fp)) return [];
          const index = zone.pins?.get(pin.index)?.to ?? pin.index;
          const isThere = row.told.index === index && row.told.confirmedAt !== undefined;
          return standingIn(zone, index) !== 'up' || isThere ? [] : [`${fp.slice(0, 8)} is not on node ${index}, to which it is pinned`];
        }),
    };
  },
};

/**
 * Whether others were let go with it while the node was away, and nothing moves back because an operator has frozen
 * that.
 */
const isFrozenAway = ({ head: { brakes }, pins }: ZoneState, index: number): boolean =>
  (brakes.freeze === 'moves' || brakes.freeze === 'all') && pins?.get(index)?.awayAt !== undefined;

/** Whether that is a node that it was told and has not left. */
const isOn = ({ stays }: ClientPast, members: ZoneState['members'], fqdn: string, call: Answered): boolean =>
  stays.some((stay) => members[stay.told.index]?.fqdn === fqdn && isWithin(stay, call));
