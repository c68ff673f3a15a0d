import { generationAt } from '../../../../lib/zones/map/rows/roster.ts';
import type { SimulatedSystem } from '../../world/system.ts';
import { clientCall, isOwn } from '../client-calls.ts';
import { type ClientPast, ClientTruth, isBannedByMinion } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';
import { ownerIn, ZonePast } from '../zones/zone-past.ts';
import { standingIn } from '../zones/zone-truth.ts';

/** What all of this is for. */
export const homes: Invariant = {
  name: 'everyone-is-at-home-at-the-end',
  says: "in the end every machine that nobody banned, by its own key or its minion's, is accepted, onboarded and confirmed on the one node that owns its slot and is up, is driven there and nowhere else, and its daemon knows; or it is pinned hard to a node that is down or was given up, or was accepted by the version before into a zone that has had no node, and thinks of none as its own; or that node was given up and came back while it did not see the machine, which has not asked since",
  begin: ({ world }) => {
    const zones = new ZonePast();
    const clients = new ClientTruth();
    const asked = new Map<string, number>();
    return {
      committed: (changes) => {
        zones.take(changes);
        clients.take(changes);
      },
      answered: (call) => {
        const about = isOwn(call) ? clientCall(call) : undefined;
        // What a copy with its key is told, the machine itself does not hear.
        if (about) asked.set(`${call.line} ${about.fp}`, call.askedAt);
      },
      unrest: () =>
        world().systems.flatMap((system) => {
          const client = clients.of(system.fp);
          const askedAt = asked.get(`${system.name} ${system.fp}`);
          if (
            client?.bannedAt !== undefined ||
            isBannedByMinion(system, clients) ||
            (client &&
              (doesNotKnow(client, askedAt) || wasUnseen(client, zones, { askedAt, seenAt: world().presence.seenSince(system.name) })))
          )
            return [];
          if (client && waitsForItsPin(client, zones)) return comesToRest(system);
          const found = homeOf(client, zones);
          const wrong = 'lacks' in found ? found.lacks : wronglyAt(system, found.fqdn, world().presence.nodesOf(system.fp));
          return wrong === undefined ? [] : [`${system.name}, whose daemon is ${system.state?.phase ?? 'off'}, ${wrong}`];
        }),
    };
  },
};

/** It was taken off its node and has not asked since: where its node sees it, it does so within six hours. */
const doesNotKnow = ({ row, revocations }: ClientPast, askedAt = 0): boolean =>
  row.standing === 'accepted' && !row.told && revocations.length > 0 && askedAt < revocations.at(-1)!;

type Asking = { readonly askedAt: number | undefined; readonly seenAt: number | undefined };

/**
 * Its node was given up and came back while it did not see the machine, and so did not make it knock. It is where it
 * belongs, and hears of its new place when it asks: within six hours.
 */
function wasUnseen({ row, fp }: ClientPast, zones: ZonePast, { askedAt = 0, seenAt }: Asking): boolean {
  const zone = row.standing === 'accepted' ? zones.now(row.zone) : undefined;
  if (!zone || row.standing !== 'accepted' || !row.told || seenAt === undefined) return false;
  const owner = ownerIn(zone, fp, row.pin);
  const cameAt = zones.hasHad(row.zone, owner);
  if (owner === row.told.index || zone.members[owner]?.node !== row.told.node || cameAt === undefined) return false;
  return askedAt < cameAt && seenAt > cameAt;
}

/**
 * It is pinned hard to a node that is down or was given up, as a machine that was installed anew is another node: it
 * waits for that one and no other.
 */
function waitsForItsPin({ row, fp }: ClientPast, zones: ZonePast): boolean {
  const zone = row.standing === 'accepted' && row.pin?.hard ? zones.now(row.zone) : undefined;
  return zone !== undefined && row.standing === 'accepted' && ['down', 'dropped'].includes(standingIn(zone, ownerIn(zone, fp, row.pin)));
}

/** Whoever waits knows that it is nowhere. */
const comesToRest = ({ name, state }: SimulatedSystem): string[] =>
  state?.phase === 'onboarded' ? [`${name} waits for a node, and thinks that it is of ${state.place?.fqdn}`] : [];

/** The node that a client is confirmed on and that is its own; or what it lacks. */
function homeOf(client: ClientPast | undefined, zones: ZonePast): { readonly fqdn: string } | { readonly lacks: string } {
  if (client?.row.standing !== 'accepted') return { lacks: `is ${client?.row.standing ?? 'unknown'}` };
  const { zone: zoneName, told, fp, pin } = client.row;
  const zone = zones.now(zoneName);
  if (!told || !zone) return { lacks: 'was told no node' };
  const owner = ownerIn(zone, fp, pin);
  const { fqdn } = zone.members[told.index]!;
  if (owner !== told.index) return { lacks: `was told ${fqdn}, and its slot is of ${zone.members[owner]?.fqdn ?? 'nobody'}` };
  if (generationAt(zone.head.roster, owner) !== told.generation) return { lacks: `was told ${fqdn} as it was before` };
  if (standingIn(zone, owner) !== 'up') return { lacks: `was told ${fqdn}, which is ${standingIn(zone, owner)}` };
  return told.confirmedAt === undefined ? { lacks: `was told ${fqdn}, and nobody has confirmed it` } : { fqdn };
}

function wronglyAt({ state }: SimulatedSystem, fqdn: string, nodes: readonly string[]): string | undefined {
  if (nodes.length !== 1 || nodes[0] !== fqdn) return `is of ${fqdn} and driven to ${nodes.join(' and ') || 'no node'}`;
  if (state?.phase !== 'onboarded') return `is of ${fqdn}`;
  return state.place?.fqdn === fqdn ? undefined : `is of ${fqdn} and thinks that it is of ${state.place?.fqdn}`;
}
