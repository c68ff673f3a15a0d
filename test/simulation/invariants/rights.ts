import type { ApiKey } from '../../../lib/api-keys/api-key.ts';
import type { Client, ClientAlias } from '../../../lib/clients/client.ts';
import type { AdminScope, Reach } from '../../../lib/identity/rights.ts';
import { inFull } from '../../../lib/identity/scopes.ts';
import { isSecret, parseSecret } from '../../../lib/identity/secret-text.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import type { Row } from '../../../lib/table/table.ts';
import { operatorSecret } from '../../support/operator.ts';
import type { Answered, Committed } from '../watching.ts';
import { routeOf } from './declared.ts';
import type { Invariant } from './invariant.ts';
import { skewMs } from './rows.ts';

/** Within how many ms a revocation is heard of everywhere, as it is stated. */
const heardWithinMs = 5_000;

/** What says that a caller was refused, or that nobody could tell: the key could not be read, too many called. */
const turnedAway = new Set([401, 403, 429, 503]);

type Held = { readonly key: ApiKey; readonly revokedAt?: number };

/** A key that was lost is harmless once it is revoked, and a limit is one. */
export const rights: Invariant = {
  name: 'nobody-gets-more-than-their-key-allows',
  says: 'the admin API answers nobody without a key that is good, has the scope and was not revoked more than 5 s ago; whoever is limited to a zone is shown no row of another and changes none',
  begin: ({ violated }) => {
    const keys = new Map<string, Held>();
    const places = new Places();
    const wronglyAnswered = (call: Answered): string | undefined => {
      const route = routeOf(call);
      const text = call.shown['authorization']?.replace('Bearer ', '');
      if (!route || route.scope === 'anyone' || turnedAway.has(call.status) || text === operatorSecret) return undefined;
      const parts = parseSecret(text ?? '', 'mak');
      const held = typeof parts === 'string' ? undefined : keys.get(parts.id);
      if (!held || typeof parts === 'string' || !isSecret(parts.secret, held.key.hash)) return 'it came with no key of ours';
      return whyWorthless(held, call.askedAt) ?? beyond(reachOf(held.key, route.scope as AdminScope), call, places);
    };
    return {
      committed: (changes) => {
        for (const change of changes) {
          const { after, at } = change;
          if (after.key.sk === 'api-key') keep(keys, after.body as ApiKey, at);
          const wrong = wronglyChanged(change, keys);
          if (wrong) violated(wrong);
        }
        places.take(changes);
      },
      answered: (call) => {
        if (!call.path.startsWith('/api/v1/')) return;
        const wrong = wronglyAnswered(call);
        if (wrong) violated(`${call.method} ${call.path} was answered ${call.status} by ${call.by}: ${wrong}`);
      },
    };
  },
};

/** Why a key was worth nothing at that moment already, with no doubt of clocks. */
function whyWorthless({ key: { expiresAt }, revokedAt = Number.POSITIVE_INFINITY }: Held, askedAt: number): string | undefined {
  if (askedAt - revokedAt > heardWithinMs + skewMs) return `its key was revoked ${askedAt - revokedAt} ms before`;
  return askedAt - expiresAt > skewMs ? `its key had expired ${askedAt - expiresAt} ms before` : undefined;
}

/** What an answer is more than whoever holds the route's scope in these zones may have. */
function beyond(zones: Reach, call: Answered, places: Places): string | undefined {
  if (zones.length === 0) return 'its key lacks the scope of the route';
  const shown = call.status < 300 && zones !== 'all' ? places.foreignIn(call, zones) : undefined;
  return shown && `it is of ${zones}, and was shown ${shown}`;
}

function keep(keys: Map<string, Held>, key: ApiKey, at: number): void {
  const revokedAt = keys.get(key.id)?.revokedAt ?? (key.revokedAt === undefined ? undefined : at);
  keys.set(key.id, { key, ...(revokedAt !== undefined && { revokedAt }) });
}

const reachOf = (key: ApiKey, scope: AdminScope): Reach => inFull(key.rights)[scope] ?? [];

/** Everywhere that a key allows anything but to look. */
const changesIn = (key: ApiKey): Reach => {
  const all = (['operate', 'admin', 'security'] as const).map((scope) => reachOf(key, scope));
  return all.includes('all') ? 'all' : [...new Set(all.flatMap((reach) => reach as Exclude<Reach, 'all'>))];
};

function wronglyChanged({ before, after }: Committed, keys: ReadonlyMap<string, Held>): string | undefined {
  const held = after.actor?.key === undefined ? undefined : keys.get(after.actor.key);
  const zones = held && !after.key.pk.startsWith('attempt#') ? changesIn(held.key) : 'all';
  if (zones === 'all') return undefined;
  const foreign = [before, after].flatMap((row) => zoneOf(row) ?? []).find((zone) => !zones.some((one) => one === zone));
  return foreign && `${after.actor!.who} is of ${zones}, and changed ${after.key.pk} of ${foreign}: ${after.because}`;
}

/** The zone that a row is of: of nodes, client systems and zones themselves. */
function zoneOf(row: Row | undefined): string | undefined {
  const [noun, id] = row?.key.pk.split('#') ?? [];
  if (noun === 'zone') return decodeURIComponent(id!);
  return noun === 'node' || noun === 'client' ? (row!.body as { readonly zone?: string }).zone : undefined;
}

/** Which zone a name is of, and since when: of nodes, of client systems, and its own. */
class Places {
  readonly #zones = new Map<string, { readonly zone: string; readonly since: number }>();

  take(changes: readonly Committed[]): void {
    for (const { after, at } of changes) {
      const body = after.body as Node | Client | ClientAlias;
      const zone = zoneOf(after);
      if (zone === undefined) continue;
      if (after.key.pk.startsWith('zone#')) this.#keep(zone, zone, at);
      if (after.key.sk === 'node') for (const name of [(body as Node).id, (body as Node).fqdn]) this.#keep(name, zone, at);
      if (after.key.sk === 'client') this.#keep((body as Client).fp, zone, at);
    }
  }

  #keep(name: string, zone: string, at: number): void {
    if (this.#zones.get(name)?.zone !== zone) this.#zones.set(name, { zone, since: at });
  }

  /**
   * What an answer shows that was of none of these zones when it was asked for, apart from what the call itself had said. What came into
   * another zone while the answer was made may have been read before: a machine in the pool is there for whoever may accept it.
   */
  foreignIn({ path, query, sent, body, askedAt }: Answered, zones: Exclude<Reach, 'all'>): string | undefined {
    const said = `${decodeURIComponent(path)} ${decodeURIComponent(query)} ${JSON.stringify(sent) ?? ''}`;
    for (const text of textsIn(JSON.parse(body))) {
      const place = this.#zones.get(text);
      if (!place || place.since >= askedAt || zones.some((one) => one === place.zone)) continue;
      if (!said.includes(text)) return `${text} of ${place.zone}`;
    }
    return undefined;
  }
}

/** Every text in an answer. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : [];
}
