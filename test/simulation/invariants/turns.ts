import { nobody, slotOf, slotsMin } from '../../../lib/zones/map/rows/slots.ts';
import type { SlotTurn } from '../../../lib/zones/turns/turn.ts';
import { clientCall, nameTold } from './client-calls.ts';
import { type ClientPast, ClientTruth, type Pin, pinsSince } from './client-past.ts';
import type { Invariant } from './invariant.ts';
import { skewMs } from './rows.ts';
import { ZonePast } from './zones/zone-past.ts';
import { ownersMoved, standingIn, type ZoneState, type ZoneStep, ZoneTruth } from './zones/zone-truth.ts';

/** When the turn of a fingerprint is, by the numbers in the rows; minus infinity when it waits for none. */
export function turnIn({ turns }: ZoneState, fp: string): number {
  const turn = turns.of.size === 0 ? undefined : turns.of.get(slotOf(fp, turns.slots));
  if (!turn) return Number.NEGATIVE_INFINITY;
  return inQueue(turn, fp, turns.slots);
}

/**
 * When it is for one that may be pinned: it waits for its slot's turn if it goes by that, and for its turn to the node
 * of its pin or from there; pinned no more, for its turn from the node that it is on, by index.
 */
export function turnWith(
  zone: ZoneState,
  fp: string,
  { pin, on }: { readonly pin: Pin | undefined; readonly on: number | undefined },
): number {
  const node = zone.pins?.get(pin?.index ?? on ?? nobody);
  const bySlot = !pin || (!pin.hard && node?.awayAt !== undefined) ? turnIn(zone, fp) : Number.NEGATIVE_INFINITY;
  const movedFrom = zone.turns.of.size === 0 ? undefined : zone.turns.of.get(slotOf(fp, zone.turns.slots))?.from;
  const left = on !== undefined && movedFrom === on ? undefined : node?.left;
  const queue = pin ? node?.queue : left;
  return queue ? Math.max(bySlot, inQueue(queue, fp, slotsMin)) : bySlot;
}

/** The nodes, by index, that it was on at some moment from then until it was called; undefined on none. */
const wasOn = ({ stays }: ClientPast, from: number, askedAt: number): (number | undefined)[] => {
  const on = stays.filter((stay) => stay.from < askedAt && (stay.revokedAt ?? stay.endedAt ?? askedAt) >= from);
  const isNowhere = on.length === 0 || on.some(({ revokedAt }) => revokedAt !== undefined);
  return [...on.map(({ told }) => told.index), ...(isNowhere ? [undefined] : [])];
};

/** The turn in a queue, by the 16 bits of a fingerprint that follow those of its slot. */
function inQueue({ at, clients, everyMs }: Pick<SlotTurn, 'at' | 'clients' | 'everyMs'>, fp: string, slots: number): number {
  const bits = BigInt(Math.log2(slots));
  const fraction = Number((BigInt(`0x${fp.slice(0, 32)}`) >> (128n - bits - 16n)) & 0xffffn);
  return at + Math.floor((fraction * clients) / 65_536) * everyMs;
}

/** A server that registers more than it can bear registers nobody. */
export const turns: Invariant = {
  name: 'nobody-is-told-before-its-turn',
  says: 'a client that was moved, pinned or let go is told its new node in its turn and no sooner, whatever the map rests on that it is answered by',
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
        if (fqdn === undefined) return;
        const client = clients.of(clientCall(call)!.fp);
        if (client?.row.standing !== 'accepted') return;
        const states = zones.between(client.row.zone, call.askedAt - world().cluster.zoneMaxAgeMs, call.at);
        const isTold = client.stays.some(
          ({ told, from }) => from < call.askedAt && states.some((zone) => zone.members[told.index]?.fqdn === fqdn),
        );
        const from = call.askedAt - world().cluster.zoneMaxAgeMs;
        const turns = pinsSince(client, from).flatMap((pin) =>
          wasOn(client, from, call.askedAt).flatMap((on) => states.map((zone) => turnWith(zone, client.fp, { pin, on }))),
        );
        if (isTold || turns.some((turn) => turn <= call.at + skewMs)) return;
        violated(`${client.fp.slice(0, 8)} was told ${fqdn} ${Math.min(...turns) - call.at} ms before its turn`);
      },
    };
  },
};

/** One after another is what the rate means. */
export const rate: Invariant = {
  name: 'turns-keep-the-rate',
  says: 'the turns of all slots that wait for one node come one after another, as fast as the node admits and no faster',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    return {
      committed: (changes) => {
        const step = truth.take(changes);
        if (!step || step.before?.turns === step.after.turns) return;
        for (const [index, queue] of queues(step.after)) {
          const every = step.after.members[index]?.admitEveryMs;
          const wrong = queue.find((turn, n) => turn.everyMs !== every || endOf(queue[n - 1]) > turn.at);
          if (wrong)
            violated(
              `${step.name} at version ${step.after.head.version}: turns at node ${index}, which admits one per ${every} ms, overlap`,
            );
        }
      },
    };
  },
};

const endOf = (turn: SlotTurn | undefined): number => (turn ? turn.at + turn.clients * turn.everyMs : 0);

function queues({ turns: { of }, map }: ZoneState): Map<number, SlotTurn[]> {
  const byNode = Map.groupBy([...of], ([slot]) => map.owner[slot]!);
  // One of nobody takes no time: another begins when it does.
  const inOrder = (a: SlotTurn, b: SlotTurn): number => a.at - b.at || a.clients - b.clients;
  return new Map([...byNode].map(([index, all]) => [index, all.map(([, turn]) => turn).sort(inOrder)]));
}

/**
 * How long the clients of a node that admits one after another are kept for it: the documented ten minutes, unless an
 * operator says otherwise.
 */
const keptMs = ({ head }: ZoneState): number => (head.remapAtOnce ? 0 : head.remapAfterMs || 600_000);

/**
 * Whether the node with this index, that of a slot's home, came back by this commit: the slot goes home, and from there
 * on where it is needed.
 */
const isBack = ({ before, after }: ZoneStep, home = nobody): boolean =>
  before !== undefined && home !== nobody && standingIn(before, home) !== 'up' && standingIn(after, home) === 'up';

/** A reboot is no disaster. */
export const kept: Invariant = {
  name: 'kept-clients-do-not-move',
  says: 'slots of a node that admits one after another go elsewhere no sooner than ten minutes after it went down, or what the zone is set to, unless it is given up or their home is back',
  begin: ({ violated }) => {
    const truth = new ZoneTruth();
    const downAt = new Map<string, number>();
    return {
      committed: (changes) => {
        const step = truth.take(changes);
        if (!step) return;
        const { before, after, name, at } = step;
        for (let index = 0; index < after.members.length; index++) {
          const key = `${name} ${index}`;
          if (standingIn(after, index) !== 'down') downAt.delete(key);
          else if (!before || standingIn(before, index) !== 'down') downAt.set(key, at);
        }
        const early = ownersMoved(step).find(
          ({ slot, from, to }) =>
            after.members[from]?.admitEveryMs !== undefined &&
            before?.map.home[slot] !== to &&
            !isBack(step, before?.map.home[slot]) &&
            at < (downAt.get(`${name} ${from}`) ?? Number.NEGATIVE_INFINITY) + keptMs(before ?? after),
        );
        if (early)
          violated(
            `slot ${early.slot} of ${name} left node ${early.from} ${at - downAt.get(`${name} ${early.from}`)!} ms after it went down`,
          );
      },
    };
  },
};
