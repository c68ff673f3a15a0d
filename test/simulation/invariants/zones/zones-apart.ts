import type { Client } from '../../../../lib/clients/client.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { slotOf } from '../../../../lib/zones/map/rows/slots.ts';
import { type Counts, countAt } from '../../../../lib/zones/zone.ts';
import type { Answered, Committed } from '../../watching.ts';
import { clientCall, nameTold } from '../client-calls.ts';
import { ClientTruth } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';
import { ZoneTruth } from './zone-truth.ts';

/** A zone is what belongs together, and often whom it belongs to. */
export const zonesApart: Invariant = {
  name: 'nothing-crosses-zones',
  says: 'a client system stays in the zone that it was accepted into; the node that it is told, and the owner of a slot, is of that zone; and nodes are handed, and counts hold, client systems of their own zone alone',
  begin: ({ violated }) => {
    const seen = new Seen();
    const truth = new ZoneTruth();
    return {
      committed: (changes) => {
        const step = truth.take(changes);
        for (const change of changes) {
          const wrong = seen.wronglyChanged(change);
          if (wrong) violated(`${change.after.key.pk} by ${change.by} (${change.after.because}): ${wrong}`);
        }
        const stranger = step?.after.members.find((member) => member && seen.zoneOfNode(member.node) !== step.name);
        if (stranger) violated(`${step!.name} has ${stranger.fqdn} among its members, which is of ${seen.zoneOfNode(stranger.node)}`);
      },
      answered: (call) => {
        const wrong = seen.wronglyTold(call) ?? seen.wronglyHanded(call);
        if (wrong) violated(`${call.method} ${call.path} was answered by ${call.by}: ${wrong}`);
      },
    };
  },
};

/** Which zone each node and client system is of, by all commits so far. */
class Seen {
  readonly #nodes = new Map<string, string>();
  /** By name: another host may have had it before, in another zone. */
  readonly #named = new Map<string, Set<string>>();
  readonly #clients = new ClientTruth();
  readonly #accepted = new Map<string, string>();

  zoneOfNode = (id: string): string | undefined => this.#nodes.get(id);

  /** Takes a row in; says what it takes from one zone into another. */
  wronglyChanged(change: Committed): string | undefined {
    const { key, body, gone } = change.after;
    this.#clients.take([change]);
    if (key.sk === 'node') this.#takeNode(body as Node);
    if (key.sk === 'counts' && !gone) return this.#wronglyCounted(decodeURIComponent(key.pk.slice('zone#'.length)), body as Counts);
    return key.sk === 'client' ? this.#wronglyKept(body as Client) : undefined;
  }

  #takeNode({ id, fqdn, zone }: Node): void {
    this.#nodes.set(id, zone);
    this.#named.set(fqdn, (this.#named.get(fqdn) ?? new Set()).add(zone));
  }

  #wronglyKept(client: Client): string | undefined {
    if (client.standing !== 'accepted') return undefined;
    const before = this.#accepted.get(client.fp) ?? client.zone;
    this.#accepted.set(client.fp, client.zone);
    if (before !== client.zone) return `it was of ${before}, and is of ${client.zone}`;
    const node = client.told && this.#nodes.get(client.told.node);
    return node === undefined || node === client.zone ? undefined : `it is of ${client.zone}, and was told a node of ${node}`;
  }

  /** In a slot where a zone never had anybody, and another has, those of the other are counted. */
  #wronglyCounted(zone: string, { perSlot }: Counts): string | undefined {
    const slots = perSlot.length / 2;
    const own = new Set([...this.#accepted].flatMap(([fp, of]) => (of === zone ? slotOf(fp, slots) : [])));
    for (const [fp, of] of this.#accepted) {
      const slot = slotOf(fp, slots);
      if (of !== zone && !own.has(slot) && countAt(perSlot, slot) > 0)
        return `${fp.slice(0, 8)} of ${of} is counted in slot ${slot} of ${zone}`;
    }
    return undefined;
  }

  wronglyTold(call: Answered): string | undefined {
    const fqdn = nameTold(call);
    const about = fqdn === undefined ? undefined : clientCall(call);
    const zone = about && this.#accepted.get(this.#clients.of(about.fp)?.fp ?? about.fp);
    const of = fqdn === undefined ? undefined : this.#named.get(fqdn);
    return zone === undefined || !of || of.has(zone) ? undefined : `${about!.fp.slice(0, 8)} of ${zone} was told ${fqdn} of ${[...of]}`;
  }

  /** Lists, verdicts and documents that a node was handed. */
  wronglyHanded({ method, path, status, body }: Answered): string | undefined {
    const [, id, rest] = /^\/nodes\/([^/]+)\/systems(\/.*)?$/.exec(path) ?? [];
    if (id === undefined || method !== 'GET' || status !== 200) return undefined;
    const zone = this.#nodes.get(id);
    const foreign = handed(rest, body).find((fp) => {
      const theirs = this.#accepted.get(this.#clients.of(fp)?.fp ?? fp);
      return theirs !== undefined && theirs !== zone;
    });
    return foreign && `it is of ${zone}, and was handed ${foreign.slice(0, 8)} of another`;
  }
}

/**
 * The fingerprints that an answer hands to a node: those of its list, one that it is to accept, or whose documents it
 * asked for.
 */
function handed(rest: string | undefined, body: string): readonly string[] {
  const answer = JSON.parse(body) as { systems?: string[]; verdict?: string; fp?: string };
  if (rest === undefined) return answer.systems ?? [];
  const [, fp, what] = rest.split('/');
  if (what === 'metadata') return [fp!];
  return answer.verdict === 'accept' ? [answer.fp ?? fp!] : [];
}
