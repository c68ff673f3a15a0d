import type { Client, ClientIn } from '../../../../lib/clients/client.ts';
import { slotOf } from '../../../../lib/zones/map/rows/slots.ts';
import { loadPins, type Pins, type PinsByNode } from '../../../../lib/zones/pins/pins.ts';
import { type Counts, countAt } from '../../../../lib/zones/zone.ts';
import type { Invariant } from '../invariant.ts';

/** A count takes less than this, in ms: it reads the list within one invocation of the sweep. */
const countMs = 60_000;

/** Placing rests on the counts, and full zones are told by them. */
export const counts: Invariant = {
  name: 'counts-equal-a-recount',
  says: "a zone's count that began after somebody last came into it or left it holds exactly the accepted ones of each slot",
  begin: ({ world, kernel }) => {
    const clients = new Map<string, Client>();
    const counted = new Map<string, Counts>();
    const pins = new Map<string, PinsByNode>();
    let changedAt = 0;
    return {
      committed: (changes) => {
        for (const { at, after } of changes) {
          const zone = decodeURIComponent(after.key.pk.slice('zone#'.length));
          if (after.key.sk === 'counts' && after.gone) counted.delete(zone);
          else if (after.key.sk === 'counts') counted.set(zone, after.body as Counts);
          // Who is away is counted by slots.
          if (after.key.sk.startsWith('pins#')) {
            changedAt = at;
            pins.set(zone, loadPins(after.body as Pins));
          }
          if (after.key.sk !== 'client') continue;
          const client = after.body as Client;
          if (isCountedOtherwise(clients.get(after.key.pk), client)) changedAt = at;
          clients.set(after.key.pk, client);
        }
      },
      unrest: () => {
        // What was counted is the list index, which may have stood still.
        const trueSince = Math.max(changedAt, world().cluster.store.heldUntil) + countMs;
        return [...counted].flatMap(([zone, { at, perSlot }]) => {
          // Zones are counted every ten minutes; every eighth history waits for that.
          if (at < trueSince) return kernel.seed % 8 === 0 ? [`${zone} has not been counted since`] : [];
          const expected = new Uint32Array(perSlot.length / 2);
          for (const client of clients.values())
            if (client.standing === 'accepted' && client.zone === zone && goesBySlot(client, pins.get(zone)))
              expected[slotOf(client.fp, expected.length)]! += 1;
          const wrong = [...expected].findIndex((count, slot) => countAt(perSlot, slot) !== count);
          return wrong === -1
            ? []
            : [`slot ${wrong} of ${zone} has ${expected[wrong]} client systems, and ${countAt(perSlot, wrong)} are counted`];
        });
      },
    };
  },
};

/**
 * Whether a row means another count: what else is written of a client system, and goes on at rest, such as its
 * metadata, does not.
 */
const isCountedOtherwise = (before: Client | undefined, after: Client): boolean =>
  zoneOf(before) !== zoneOf(after) || isPinned(before) !== isPinned(after);

/** Whom a node has by a pin is counted with the pins, but for those who go by their slots while that node is away. */
const goesBySlot = ({ pin }: ClientIn<'accepted'>, pins: PinsByNode | undefined): boolean =>
  !pin || (!pin.hard && pins?.get(pin.index)?.awayAt !== undefined);

const isPinned = (client: Client | undefined): boolean => client?.standing === 'accepted' && client.pin !== undefined;

const zoneOf = (client: Client | undefined): string | undefined => (client?.standing === 'accepted' ? client.zone : undefined);
