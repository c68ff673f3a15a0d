import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import admin from '../../../functions/admin.ts';
import { adminRoutes } from '../../../lib/admin-contract.ts';
import { pathOf } from '../../../lib/api/client.ts';
import type { Route } from '../../../lib/api/route.ts';
import { nodeIdOf } from '../../../lib/identity/fingerprint.ts';
import { examples } from '../../../lib/openapi/examples.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { keyPairOf } from '../../../tools/support/signing.ts';
import { valuesOf } from '../../support/from-schema.ts';
import { someTenants, type Tenants } from '../../support/tenants.ts';

/*
 * A zone is a tenant boundary: whatever somebody calls who is limited to one zone, the rows of another and the answers
 * to its callers stay as they were, and he is answered as if that zone were not there. Calls are made from the
 * contract, so that a new route is covered by itself.
 */

type Call = { readonly params: object; readonly query: object; readonly body: unknown };
type Name = keyof typeof adminRoutes;

/** Routes that are left out, each with the reason. */
const exempt: Partial<Record<Name, string>> = {
  verifyAudit: 'it reads the whole audit of the caller’s chains, which nothing here publishes',
  putStations: 'a host’s name is one in the deployment, so a name of another zone is refused (0060)',
};

/** Calls of one route that its schemas take, by the names of things of both zones and of nothing. */
const callsOf = (name: Name, route: Route, words: readonly string[]): fc.Arbitrary<Call> =>
  fc.record({
    params: valuesOf(route.params, words, {}).map((one) => one ?? {}),
    query: valuesOf(route.query, words, {}).map((one) => one ?? {}),
    body: valuesOf(route.body, words, (examples[name] as { readonly body?: unknown } | undefined)?.body),
  }) as fc.Arbitrary<Call>;

let calls = 0;
async function made(route: Route, { params, query, body }: Call, { shell }: Tenants, headers: object, id: string) {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, String(value)]]));
  const sent = body === undefined ? {} : { 'content-type': 'application/json' };
  const reply = await admin.handle(
    aRequest({
      id,
      method: route.method,
      path: pathOf(route, params as Readonly<Record<string, unknown>>),
      query: new URLSearchParams(pairs).toString(),
      body: body === undefined ? '' : JSON.stringify(body),
      headers: { ...sent, ...headers },
    }),
    shell,
  );
  return { status: reply.status, body: told(reply.body ?? '') };
}

/** An answer without what is another in each: a cursor is enciphered anew. */
const told = (text: string): unknown => {
  const body = JSON.parse(text === '' ? 'null' : text) as Record<string, unknown> | null;
  return body !== null && typeof body === 'object' && 'next' in body ? { ...body, next: 'a cursor' } : body;
};

/** Rows that are there because of the other zone alone, as they are. */
const rowsBeside = (all: Tenants, without: ReadonlySet<string>): string =>
  JSON.stringify(
    [...all.shell.table.rows].filter(([name]) => !without.has(name)),
    (_name, value: unknown) => (value instanceof Uint8Array ? [...value] : value),
  );

/** Whether these are the same rows: a commit puts another in the place of one, and changes none. */
const areSame = (rows: ReadonlyMap<string, unknown>, before: ReadonlyMap<string, unknown>): boolean =>
  rows.size === before.size && [...rows].every(([name, row]) => before.get(name) === row);

/** What the other zone's people see, whatever they may look at. */
async function seenByOther(tenants: Tenants): Promise<unknown> {
  const looks = ['nodes', 'systems', 'systems?status=new', 'systems?status=deleted', 'node-pool', 'node-tokens', 'onboarding-tokens'];
  const more = ['webhooks', 'zones', 'zones/beta', 'zones/beta/stations', 'zones/beta/graph', 'status', 'settings', 'explain/zone/beta'];
  return Promise.all(
    [...looks, ...more].map(async (path) => {
      const [at, query = ''] = path.split('?') as [string, string?];
      const request = aRequest({ id: `look ${path}`, method: 'GET', path: `/api/v1/${at}`, query, headers: tenants.beta! });
      const { status, body } = await admin.handle(request, tenants.shell);
      expect(status, path).toBe(200);
      return told(body ?? '');
    }),
  );
}

const routes = (Object.entries(adminRoutes) as [Name, Route][]).filter(([name, { scope }]) => scope !== 'anyone' && !(name in exempt));

describe('whoever is limited to one zone', () => {
  it.each(routes)('%s leaves another zone as it is, and is answered as without it', { timeout: 120_000 }, async (name, route) => {
    const [both, alone] = [await someTenants(true), await someTenants(false)];
    const ids = ['node1.alpha.test', 'node1.beta.test'].map((fqdn) => nodeIdOf(keyPairOf(fqdn).publicKey));
    const tokens = [...both.shell.table.rows.values()].flatMap(({ key, body }) =>
      /^(join-token|onboarding-token|webhooks)$/.test(key.sk) ? idsIn(body) : [],
    );
    const words = [...both.words, ...ids, ...tokens];
    const shared = new Set(alone.shell.table.rows.keys());
    // The first look notes that the key is in use.
    const [seen, rows] = [await seenByOther(both), rowsBeside(both, shared)];
    const beside = new Set([...both.shell.table.rows.keys()].filter((name) => !shared.has(name)));
    let lookedAt = new Map(both.shell.table.rows);
    const property = fc.asyncProperty(callsOf(name, route, words), async (call) => {
      calls += 1;
      const answer = await made(route, call, both, both.alpha, `call-${calls}`);
      expect(answer).toEqual(await made(route, call, alone, alone.alpha, `call-${calls}`));
      // What anybody is shown is made of the rows alone: as long as these are those of the last look, so is what is
      // seen.
      if (areSame(both.shell.table.rows, lookedAt)) return;
      const outside = new Set([...both.shell.table.rows.keys()].filter((name) => !beside.has(name)));
      expect(rowsBeside(both, outside)).toBe(rows);
      // Both begin anew, so that both reserve numbers at the same calls.
      for (const { shell } of [both, alone]) shell.caches.clear();
      expect(await seenByOther(both)).toEqual(seen);
      lookedAt = new Map(both.shell.table.rows);
    });
    await fc.assert(property, { numRuns: 30, endOnFailure: true });
  });
});

/** The ids of tokens and webhooks in a row. */
const idsIn = (body: unknown): string[] => {
  const { id, webhooks } = body as { id?: string; webhooks?: readonly { id: string }[] };
  return [...(id === undefined ? [] : [id]), ...(webhooks ?? []).map((one) => one.id)];
};
