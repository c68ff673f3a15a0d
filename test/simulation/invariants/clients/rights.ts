import type { ApiKey } from '../../../../lib/access/api-keys/api-key.ts';
import type { Client, ClientAlias } from '../../../../lib/clients/client.ts';
import type { AdminScope, Reach } from '../../../../lib/identity/rights.ts';
import { inFull } from '../../../../lib/identity/scopes.ts';
import { isSecret, parseSecret } from '../../../../lib/identity/secret-text.ts';
import { type PooledHost, zoneOfHost } from '../../../../lib/nodes/admission/rows/pooled-host.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { Row } from '../../../../lib/ports/table/table.ts';
import { operatorSecret } from '../../../../tools/support/operator.ts';
import type { Answered, Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { skewMs } from '../rows.ts';
import { knowsNoRoute, metOld } from '../versions.ts';
import { routeOf } from './declared.ts';

/** Within how many ms a revocation is heard of everywhere, as it is stated. */
const heardWithinMs = 5_000;

/** What says that a caller was refused, or that nobody could tell: the key could not be read, too many called. */
const turnedAway = new Set([401, 403, 429, 503]);

type Held = { readonly key: ApiKey; readonly revokedAt?: number };

/** A key that was lost is harmless once it is revoked, and a limit is one. */
export const rights: Invariant = {
  name: 'nobody-gets-more-than-their-key-allows',
  says: 'the admin API answers nobody without a key that is good, has the scope and was not revoked more than 5 s ago; nobody has a service started, configured or sent something that takes a command without `execute` in its zone; whoever is limited to a zone is shown no row of another and changes none, and of those who wait, none that asks for another zone or for none',
  begin: ({ violated, world }) => {
    const isOld = metOld(world);
    const keys = new Map<string, Held>();
    const places = new Places();
    const wronglyAnswered = (call: Answered): string | undefined => {
      const route = routeOf(call);
      const text = call.shown['authorization']?.replace('Bearer ', '');
      if (!route || route.scope === 'anyone' || turnedAway.has(call.status) || text === operatorSecret) return undefined;
      const parts = parseSecret(text ?? '', 'mak');
      const held = typeof parts === 'string' ? undefined : keys.get(parts.id);
      if (!held || typeof parts === 'string' || !isSecret(parts.secret, held.key.hash)) return 'it came with no key of ours';
      return (
        whyWorthless(held, call.askedAt) ?? commands(held.key, call) ?? beyond(reachOf(held.key, route.scope as AdminScope), call, places)
      );
    };
    return {
      heedsMarks: true,
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
        // Of a route that it does not have, the version before says so to anybody.
        if (wrong && !(knowsNoRoute(call) && isOld()))
          violated(`${call.method} ${call.path} was answered ${call.status} by ${call.by}: ${wrong}`);
      },
    };
  },
};

/** Why a key was worth nothing at that moment already, with no doubt of clocks. */
function whyWorthless({ key: { expiresAt }, revokedAt = Number.POSITIVE_INFINITY }: Held, askedAt: number): string | undefined {
  if (askedAt - revokedAt > heardWithinMs + skewMs) return `its key was revoked ${askedAt - revokedAt} ms before`;
  return askedAt - expiresAt > skewMs ? `its key had expired ${askedAt - expiresAt} ms before` : undefined;
}

/**
 * Orders about services that may bring a command to a host. The types that take none are those of Muster but for
 * `process`: nobody here promises more.
 */
const commanding = /^\/api\/v1\/zones\/([^/]+)\/services\/([^/]+)\/(?:start|reconfigure|send)$/;
const takeNone = new Set(['m0d', 'statistics', 'supervisor']);

/** What of an order that was taken needs more than its key has. */
function commands(key: ApiKey, { path, status }: Answered): string | undefined {
  const [, zone, type] = commanding.exec(path) ?? [];
  if (zone === undefined || type === undefined || takeNone.has(type) || status >= 300) return undefined;
  const reach = reachOf(key, 'execute');
  return reach === 'all' || reach.some((one) => one === zone)
    ? undefined
    : `${type} takes a command, and its key may not execute in ${zone}`;
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

/** Everywhere that a key allows to change a node, a client system, a host or a zone: `number` allows none. */
const changesIn = (key: ApiKey): Reach => {
  const all = (['operate', 'admin', 'security', 'report'] as const).map((scope) => reachOf(key, scope));
  return all.includes('all') ? 'all' : [...new Set(all.flatMap((reach) => reach as Exclude<Reach, 'all'>))];
};

function wronglyChanged({ before, after }: Committed, keys: ReadonlyMap<string, Held>): string | undefined {
  const held = after.actor?.key === undefined ? undefined : keys.get(after.actor.key);
  const zones = held && !after.key.pk.startsWith('attempt#') ? changesIn(held.key) : 'all';
  if (zones === 'all') return undefined;
  const foreign = [before, after].flatMap((row) => zoneOf(row) ?? []).find((zone) => !zones.some((one) => one === zone));
  return foreign && `${after.actor!.who} is of ${zones}, and changed ${after.key.pk} of ${foreign}: ${after.because}`;
}

/** What is of no zone and asks for none: whoever is limited to zones has no part in it. */
const noZone = 'no zone';

/** The zone that a row is of: of nodes, client systems, hosts that wait and zones themselves. */
function zoneOf(row: Row | undefined): string | undefined {
  const [noun, id] = row?.key.pk.split('#') ?? [];
  if (noun === 'zone') return decodeURIComponent(id!);
  if (noun === 'node') return (row!.body as Node).zone;
  if (noun === 'pooled-host') return zoneOfHost(row!.body as PooledHost) ?? noZone;
  const client = noun === 'client' ? (row!.body as Client | ClientAlias) : undefined;
  if (!client || client.standing === 'alias') return undefined;
  return client.zone ?? noZone;
}

/** Which zone a name is of, and since when: of nodes, of client systems, and its own. */
class Places {
  readonly #zones = new Map<string, { readonly zone: string; readonly since: number; readonly before?: string | undefined }>();

  take(changes: readonly Committed[]): void {
    for (const { after, at } of changes) {
      const body = after.body as Node | Client | ClientAlias;
      const zone = zoneOf(after);
      if (zone === undefined) continue;
      if (after.key.pk.startsWith('zone#')) this.#keep(zone, zone, at);
      if (after.key.sk === 'node') for (const name of [(body as Node).id, (body as Node).fqdn]) this.#keep(name, zone, at);
      if (after.key.sk === 'pooled-host') this.#keep((after.body as PooledHost).fp, zone, at);
      if (after.key.sk === 'client') this.#keep((body as Client).fp, zone, at);
    }
  }

  #keep(name: string, zone: string, at: number): void {
    const before = this.#zones.get(name)?.zone;
    if (before !== zone) this.#zones.set(name, { zone, since: at, before });
  }

  /**
   * What an answer shows that was of none of these zones when it was asked for, apart from what the call itself had
   * said. What came into another zone while the answer was made may have been read before: a machine asks for another,
   * or is accepted elsewhere.
   */
  foreignIn({ path, query, sent, body, askedAt }: Answered, zones: Exclude<Reach, 'all'>): string | undefined {
    const asked = `${decodeURIComponent(path)} ${decodeURIComponent(query)} ${JSON.stringify(sent) ?? ''}`;
    // Fingerprints may be said with colons.
    const said = `${asked} ${asked.replaceAll(':', '')}`;
    for (const text of textsIn(JSON.parse(body))) {
      const place = this.#zones.get(text);
      if (!place || zones.some((one) => one === place.zone)) continue;
      if (place.since >= askedAt && (place.before === undefined || zones.some((one) => one === place.before))) continue;
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
