import { generationAt } from '../../../../lib/zones/map/rows/roster.ts';
import { nobody } from '../../../../lib/zones/map/rows/slots.ts';
import type { Answered } from '../../watching.ts';
import { clientCall, nameTold } from '../client-calls.ts';
import { type ClientPast, ClientTruth, isWithin, pinsSince } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';
import { turnWith } from '../turns.ts';
import { ownerIn, ZonePast } from '../zones/zone-past.ts';
import { standingIn, type ZoneState } from '../zones/zone-truth.ts';

/** Present clients of a node with one of these stay there. */
const serving = new Set(['up', 'suspect', 'draining', 'held', 'quarantined']);

/** Two nodes that both think a client theirs, or none: that is what the map is for. */
export const sent: Invariant = {
  name: 'clients-are-sent-where-the-map-says',
  says: 'the node that a client is told owns its slot, in a map no older than a cache may be, and is up, or serves and was told to it before',
  begin: ({ violated, world }) => {
    const zones = new ZonePast();
    const clients = new ClientTruth();
    const isRight = (call: Answered, client: ClientPast, fqdn: string): boolean => {
      const zone = client.row.standing === 'pooled' ? undefined : client.row.zone;
      const states = zone === undefined ? [] : zones.between(zone, call.askedAt - world().cluster.zoneMaxAgeMs, call.at);
      return states.some((state) => mayBeSent(state, client, fqdn, call));
    };
    return {
      committed: (changes) => {
        zones.take(changes);
        clients.take(changes);
      },
      answered: (call) => {
        const fqdn = nameTold(call);
        if (fqdn === undefined) return;
        const { fp } = clientCall(call)!;
        const client = clients.of(fp);
        if (client && isRight(call, client, fqdn)) return;
        const now = client && client.row.standing === 'accepted' ? zones.now(client.row.zone) : undefined;
        const owner = now && ownerIn(now, client!.fp, pinsSince(client!, call.at).at(-1));
        const whose = owner === undefined ? 'of nobody' : `of ${now!.members[owner]?.fqdn ?? 'nobody'} (${standingIn(now!, owner)})`;
        violated(`${fp.slice(0, 8)} was sent to ${fqdn} by ${call.by}, asked ${call.at - call.askedAt} ms ago, and is ${whose}`);
      },
    };
  },
};

function isBeforeTurn(zone: ZoneState, client: ClientPast, call: Answered): boolean {
  const from = call.askedAt - skewMs;
  const on = client.stays.filter((stay) => isWithin(stay, call)).map(({ told }) => told.index);
  return pinsSince(client, from).some((pin) => [undefined, ...on].some((one) => turnWith(zone, client.fp, { pin, on: one }) > from));
}

/** Until its turn elsewhere it is told again the node that it comes from, while that serves. */
const staysOn = (zone: ZoneState, { stays }: Pick<ClientPast, 'fp' | 'stays'>, fqdn: string, call: Answered): boolean =>
  stays.some(
    (stay) =>
      zone.members[stay.told.index]?.fqdn === fqdn &&
      serving.has(standingIn(zone, stay.told.index)) &&
      stay.told.generation === generationAt(zone.head.roster, stay.told.index) &&
      isWithin(stay, call),
  );

function mayBeSent(zone: ZoneState, client: ClientPast, fqdn: string, call: Answered): boolean {
  const { fp, stays } = client;
  if (isBeforeTurn(zone, client, call) && staysOn(zone, { fp, stays }, fqdn, call)) return true;
  const owners = pinsSince(client, call.askedAt - skewMs).map((pin) => ownerIn(zone, fp, pin));
  return owners.some((owner) => isSentTo(zone, { owner, stays }, fqdn, call));
}

function isSentTo(
  zone: ZoneState,
  { owner, stays }: Pick<ClientPast, 'stays'> & { readonly owner: number },
  fqdn: string,
  call: Answered,
): boolean {
  if (owner === nobody || zone.members[owner]?.fqdn !== fqdn) return false;
  const standing = standingIn(zone, owner);
  if (standing === 'up' && call.token !== undefined) return true;
  const generation = generationAt(zone.head.roster, owner);
  return (
    serving.has(standing) && stays.some((stay) => stay.told.index === owner && stay.told.generation === generation && isWithin(stay, call))
  );
}
