import type { Client, ClientAlias } from '../../../../lib/clients/client.ts';
import { fingerprintOf, minionFingerprintOf } from '../../../../lib/identity/fingerprint.ts';
import type { Answered } from '../../watching.ts';
import { lineOfScript } from '../../world/hasty.ts';
import { isForged } from '../../world/knocking.ts';
import { daemonOf } from '../../world/legacy.ts';
import type { SimulatedSystem } from '../../world/system.ts';
import { byteOf } from '../client-calls.ts';
import { type ClientPast, ClientTruth } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';

type Knocked = { readonly publicKey: string; readonly minion?: { readonly publicKey: string } };

/** A machine is its keys: whoever could say another's would be accepted, placed and banned as that one. */
export const knocks: Invariant = {
  name: 'a-knock-speaks-for-its-own-keys',
  says: "a signed knock is taken only from who holds the key; no row says a name or a minion that is not its machine's own; a new key beside the minion of a banned machine is told Deleted",
  begin: ({ violated, world }) => {
    const clients = new ClientTruth();
    /** Since when each key has a row of its own. */
    const knownFrom = new Map<string, number>();
    const ownerOf = (fp: string): SimulatedSystem | undefined => world().systems.find((one) => one.fp === fp || one.shapes.has(fp));
    /** The key of the minion on a machine that a server had before it became a node, by it or by that of its daemon. */
    const keyOfLegacy = (fp: string): string | undefined =>
      world()
        .hosts.flatMap(({ legacy }) => legacy?.all ?? [])
        .find((one) => one.fp === fp || daemonOf(one.minion).fp === fp)?.fp;
    const wronglyTaken = (call: Answered): string | undefined => {
      const { publicKey, minion } = call.sent as Knocked;
      const fp = fingerprintOf(publicKey);
      if (call.status !== 200 || byteOf(call) === '3') return undefined;
      if (!call.signed) return call.headers['muster-token'] === undefined ? undefined : 'nobody signed it, and it was given a token';
      if (call.signed.keyId !== fp) return 'it was signed by another key';
      const owner = ownerOf(fp);
      if (owner && !isHeldBy(owner, call.line)) return `${call.line} does not hold the key of ${owner.name}`;
      const machine = minion && heirIn(clients, minionFingerprintOf(minion.publicKey));
      if (machine?.bannedAt === undefined || machine.bannedAt >= call.askedAt) return undefined;
      const isNew = (knownFrom.get(fp) ?? Number.POSITIVE_INFINITY) >= call.askedAt;
      return isNew ? `its minion is that of ${machine.fp.slice(0, 8)}, which is banned` : undefined;
    };
    return {
      committed: (changes) => {
        clients.take(changes);
        for (const { at, after } of changes) {
          const body = after.body as Client | ClientAlias;
          if (after.key.sk !== 'client' || body.standing === 'alias') continue;
          knownFrom.set(body.fp, knownFrom.get(body.fp) ?? at);
          const wrong = wronglySaid(body, ownerOf(body.fp), keyOfLegacy(body.fp));
          if (wrong) violated(`${body.fp.slice(0, 8)}: ${wrong}, since ${after.because}`);
        }
      },
      answered: (call) => {
        const wrong = call.path === '/system/knock' ? wronglyTaken(call) : undefined;
        if (wrong) violated(`a knock on the line of ${call.line} was answered ${call.body} by ${call.by}: ${wrong}`);
      },
    };
  },
};

/** The machine that a key leads to, or the one that took its place: a key that was replaced is no banned machine. */
function heirIn(clients: ClientTruth, fp: string): ClientPast | undefined {
  let machine = clients.of(fp);
  while (machine?.row.standing === 'banned' && machine.row.replacedBy !== undefined) machine = clients.of(machine.row.replacedBy);
  return machine;
}

/**
 * The machine itself, a script on it, one that runs with a copy of its disk, or whoever has switched its daemon off for
 * good.
 */
const isHeldBy = ({ name, ended }: SimulatedSystem, line: string): boolean =>
  line === name || line === lineOfScript(name) || line.startsWith(`${name}-copy`) || (ended && line === 'impostor');

function wronglySaid(
  { fp, fqdn, minion, unsigned }: Client,
  owner: SimulatedSystem | undefined,
  legacy: string | undefined,
): string | undefined {
  if (owner?.fp === fp && isForged(fqdn) && !unsigned) return `it is called ${fqdn}, and its machine is ${owner.fqdn}`;
  if (!minion) return undefined;
  if (unsigned) return 'nobody ever signed for it, and it has a minion';
  if (legacy === minion.fingerprint) return undefined;
  return owner?.minions.has(minion.fingerprint) ? undefined : `its minion is ${minion.id}, whose key is not on its machine`;
}
