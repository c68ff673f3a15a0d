import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import admin from '../../../functions/admin.ts';
import knockDoor from '../../../functions/knock.ts';
import nodeDoor from '../../../functions/node-door.ts';
import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import type { KeyPair } from '../../../lib/identity/key-pair.ts';
import { adminScopes, rightsOf } from '../../../lib/identity/rights.ts';
import { parseSecret } from '../../../lib/identity/secret-text.ts';
import type { SignedCall } from '../../../lib/identity/signature.ts';
import { oidcIssuer } from '../../../lib/ports/issuer/oidc.ts';
import type { RouteFunction } from '../../../lib/runtime/function.ts';
import type { Reply } from '../../../lib/runtime/reply.ts';
import type { Shell } from '../../../lib/runtime/shell.ts';
import { aRequest } from '../../../tools/support/a-request.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { asOperator, operatorSecret } from '../../../tools/support/operator.ts';
import { keyPairOf, signedBy } from '../../../tools/support/signing.ts';
import { aKey, showing } from '../../support/callers.ts';
import { changed, changedSecret } from '../../support/changed.ts';
import { aDeployment, aStepNode, type Deployment, type StepAgent } from '../../support/deployment.ts';
import { aSigningKey, claims, Published, settings, signed } from '../ports/issuer/an-issuer.ts';

/*
 * Whatever proves something about a caller, changed in any place, proves nothing: the call is refused, no row changes
 * and nothing is queued. The functions are called directly, so that there are thousands of such calls.
 */

type Headers = Readonly<Record<string, string>>;
type Sent = SignedCall & { readonly headers: Headers };

let shell: TestShell & Shell;
let deployment: Deployment;
let node: StepAgent;
const [web, host] = [keyPairOf('web1.acme.org'), keyPairOf('node9.acme.org')];
const fp = (): string => fingerprintOf(web.publicKey);
let membership: string;
let tokens: Readonly<Record<'join' | 'onboarding' | 'key' | 'session' | 'jwt' | 'cursor', string>>;

beforeAll(async () => {
  const key = await aSigningKey('k1');
  const published = new Published([key.jwk]);
  shell = { ...aShell(), issuer: oidcIssuer({ settings: settings(), now: published.now, reading: published.reading }) };
  published.at = shell.now();
  deployment = aDeployment(shell);
  node = await aStepNode(deployment, 'node1.acme.org');
  membership = await onboarded();
  const everything = rightsOf(adminScopes, 'all');
  tokens = {
    join: await newSecret('node-tokens', { nodes: 'node9.acme.org', kind: 'salt' }),
    onboarding: await newSecret('onboarding-tokens', { uses: 1000 }),
    key: (await aKey(shell, everything)).text,
    session: (await aKey(shell, everything, { kind: 'session' })).text,
    jwt: await signed(key, claims({ groups: ['muster-security'] })),
    cursor: await aCursor(),
  };
});

/** A client system is accepted, told its node and confirmed; its membership token. */
async function onboarded(): Promise<string> {
  const knock = (more: object = {}) => deployment.call('POST', '/system/knock', { ...knocking(web), ...more }, web);
  await knock();
  await deployment.call('POST', '/api/v1/systems/accept', { systems: [fp()] });
  const first = (await knock()).headers!['muster-token']!;
  const place = await get(knockDoor, `/system/orphan?fp=${fp()}`, { 'muster-token': first });
  return (await knock({ confirmed: place.body })).headers!['muster-token']!;
}
const knocking = ({ publicKey }: KeyPair) => ({
  publicKey,
  fqdn: `m${fingerprintOf(publicKey).slice(0, 16)}.acme.org`,
  machineId: fingerprintOf(publicKey),
});
async function newSecret(list: string, body: object): Promise<string> {
  const { body: said } = await deployment.call('POST', `/api/v1/${list}`, body);
  return (JSON.parse(said!) as { secret: string }).secret;
}
async function aCursor(): Promise<string> {
  for (const name of ['a', 'b']) await deployment.call('POST', '/system/knock', knocking(keyPairOf(name)), keyPairOf(name));
  const { body } = await get(admin, '/api/v1/systems?limit=1&status=new', asOperator);
  return (JSON.parse(body!) as { next: string }).next;
}

const get = async (door: RouteFunction, target: string, headers: Headers = {}): Promise<Reply> => {
  const [path = '', query = ''] = target.split('?');
  return door.handle(aRequest({ path, query, headers: { host: 'muster.acme.org', ...headers } }), shell);
};
const sends = async (door: RouteFunction, { headers, ...call }: Sent): Promise<Reply> => door.handle(aRequest({ ...call, headers }), shell);
/** A call with its headers, signed by a key at this moment. */
const signedCall = (by: KeyPair, method: string, path: string, body?: object): Sent => {
  const call = { method, path, query: '', body: body ? JSON.stringify(body) : '' };
  const json = body && { 'content-type': 'application/json' };
  return { ...call, headers: { ...json, ...signedBy(by, call, { deployment: 'test', nowMs: shell.now() }) } };
};

/**
 * Which rows there are and how often each was written, and what waits in the queues; not what was tried, and which
 * signed calls were made.
 */
async function held(): Promise<string> {
  const rows = [...shell.table.rows].filter(([, { key }]) => !/^(attempt|nonce)#/.test(key.pk)).map(([name, { rev }]) => `${name} ${rev}`);
  const queued = await Promise.all((['reports', 'heartbeats'] as const).map((queue) => shell.queue.depth(queue)));
  return JSON.stringify([rows.toSorted(), queued.map(({ messages }) => messages)]);
}
/** Fails unless a call is refused and changes nothing. */
async function refused(call: () => Promise<Reply>): Promise<Reply> {
  const before = await held();
  const reply = await call();
  expect(reply.status).toBeGreaterThanOrEqual(400);
  expect(reply.status).toBeLessThan(500);
  expect(reply.headers?.['content-type']).toBe('application/problem+json');
  expect(await held()).toBe(before);
  return reply;
}
const slugOf = ({ body }: Reply): string => (JSON.parse(body!) as { type: string }).type.replace('urn:muster:problem:', '');
const runs = { seed: 403, numRuns: 1_000 };

describe('a signed call in which a byte is changed', () => {
  const parts = ['method', 'path', 'query', 'body', 'content-digest', 'signature-input', 'signature'] as const;
  const oneChanged = (was: Sent): fc.Arbitrary<Sent> =>
    fc
      .constantFrom(...parts)
      .chain((part) =>
        part in was
          ? changed(was[part as keyof SignedCall]).map((now) => ({ ...was, [part]: now }))
          : changed(was.headers[part]!).map((now) => ({ ...was, headers: { ...was.headers, [part]: now } })),
      );

  it.each<[string, RouteFunction, () => Sent]>([
    ['a knock', knockDoor, () => signedCall(keyPairOf('web9'), 'POST', '/system/knock', knocking(keyPairOf('web9')))],
    [
      'a join',
      nodeDoor,
      () =>
        signedCall(host, 'POST', '/nodes/join', { publicKey: host.publicKey, fqdn: 'node9.acme.org', kind: 'salt', token: tokens.join }),
    ],
    ['a heartbeat', nodeDoor, () => signedCall(node.keys, 'POST', `/nodes/${node.id}/heartbeat`, beat())],
    ['a node that leaves', nodeDoor, () => signedCall(node.keys, 'POST', `/nodes/${node.id}/leaving`, leave)],
    ['a question of a node', nodeDoor, () => signedCall(node.keys, 'GET', `/nodes/${node.id}/desired`)],
  ])('is refused: %s', async (_what, door, call) => {
    const was = call();
    await fc.assert(
      fc.asyncProperty(oneChanged(was), async (now) => void (await refused(() => sends(door, now)))),
      runs,
    );
    expect((await sends(door, was)).status, 'the call itself').toBeLessThan(300);
  });

  const load = { load1: 0, load5: 0, load15: 0, memoryUsedMib: 1, memoryMib: 2, systems: 0 };
  const beat = () => ({ id: 'beat-99', incarnation: 1, seq: 99, load });
  const leave = { id: 'leave', incarnation: 1, mode: 'hold' };
});

describe('a bearer token in which a byte is changed', () => {
  it.each(['key', 'session', 'jwt', 'operator'] as const)('is refused: %s', async (kind) => {
    const was = kind === 'operator' ? operatorSecret : tokens[kind];
    const order = { method: 'POST', path: '/api/v1/systems/ban', query: '', body: JSON.stringify({ systems: [fp()] }) };
    const headers = { 'content-type': 'application/json', host: 'muster.acme.org' };
    const secretOf = (text: string): string => text.slice(-50, -7);
    const other = (kind === 'jwt' ? changed : changedSecret)(was)
      // Spaces about a token are not of it.
      .filter((now) => now.replaceAll(/^ +| +$/g, '') !== was)
      // The operator's secret is the only one of its kind: no row is found by its id, and nobody looks at that.
      .filter((now) => kind !== 'operator' || secretOf(now) !== secretOf(was) || typeof parseSecret(now, 'mst') === 'string');
    await fc.assert(
      fc.asyncProperty(other, async (now) => {
        const reply = await refused(() => sends(admin, { ...order, headers: { ...headers, ...showing(now) } }));
        expect([reply.status, slugOf(reply)]).toEqual([401, 'bearer-invalid']);
        expect(reply.headers?.['www-authenticate']).toMatch(/^Bearer /);
      }),
      runs,
    );
    expect((await get(admin, '/api/v1/status', showing(was))).status, 'the token itself').toBe(200);
  });
});

describe('a membership token in which a byte is changed', () => {
  const ask = (what: string, token?: string) =>
    get(knockDoor, `/system/${what}?fp=${fp()}`, token === undefined ? {} : { 'muster-token': token });

  it.each(['status', 'orphan'])('is as none: %s', async (what) => {
    const without = await ask(what);
    await fc.assert(
      fc.asyncProperty(changed(membership), async (now) => {
        const before = await held();
        const { status, body, headers } = await ask(what, now);
        expect({ status, body }).toEqual({ status: without.status, body: without.body });
        expect(headers).not.toHaveProperty('muster-token');
        expect(await held()).toBe(before);
      }),
      runs,
    );
  });
  it('is refused where calls without one are switched off', async () => {
    await deployment.call('PATCH', '/api/v1/settings', { openCalls: false });
    shell.caches.clear();
    await fc.assert(
      fc.asyncProperty(changed(membership), fc.constantFrom('status', 'orphan'), async (now, what) => {
        expect(slugOf(await refused(() => ask(what, now)))).toBe('signature-missing');
      }),
      runs,
    );
    expect((await ask('status', membership)).body, 'the token itself').toBe('1');
    await deployment.call('PATCH', '/api/v1/settings', { openCalls: true });
    shell.caches.clear();
  });
});

describe('a cursor in which a byte is changed', () => {
  it('opens nothing', async () => {
    const list = (cursor: string) => get(admin, `/api/v1/systems?limit=1&status=new&cursor=${encodeURIComponent(cursor)}`, asOperator);
    await fc.assert(
      fc.asyncProperty(changed(tokens.cursor), async (now) => {
        expect(slugOf(await refused(() => list(now)))).toBe('bad-cursor');
      }),
      runs,
    );
    expect((await list(tokens.cursor)).status, 'the cursor itself').toBe(200);
  });
});

describe('a token that lets a machine in, in which a byte is changed', () => {
  it('makes no node of a host, and has a use left', async () => {
    const thief = keyPairOf('a thief');
    const join = (by: KeyPair, token: string) =>
      sends(nodeDoor, signedCall(by, 'POST', '/nodes/join', { token, publicKey: by.publicKey, fqdn: 'node8.acme.org', kind: 'salt' }));
    const token = await newSecret('node-tokens', { nodes: 'node8.acme.org', kind: 'salt' });
    await fc.assert(
      fc.asyncProperty(changedSecret(token), async (now) => {
        expect(slugOf(await refused(() => join(thief, now)))).toBe('join-denied');
      }),
      runs,
    );
    expect((await join(keyPairOf('node8'), token)).status, 'the token itself').toBe(201);
  });

  it('accepts no client system, which waits in the pool as if it had brought none', async () => {
    await deployment.call('PATCH', '/api/v1/settings', { newKeysPerSource: 0 });
    shell.caches.clear();
    const knock = (by: KeyPair, token: string) => sends(knockDoor, signedCall(by, 'POST', '/system/knock', { ...knocking(by), token }));
    const usesBefore = await usesOf();
    let machines = 0;
    await fc.assert(
      fc.asyncProperty(changedSecret(tokens.onboarding), async (now) => {
        machines += 1;
        const reply = await knock(keyPairOf(`machine ${machines}`), now);
        expect([reply.status, reply.body, reply.headers?.['muster-token']]).toEqual([200, '0', undefined]);
      }),
      runs,
    );
    expect(await usesOf()).toBe(usesBefore);
    expect((await knock(keyPairOf('machine 0'), tokens.onboarding)).body, 'the token itself').toBe('2');
    expect(await usesOf()).not.toBe(usesBefore);
  });
  /** The rows of the onboarding tokens, as they are. */
  const usesOf = async (): Promise<string> =>
    JSON.stringify([...shell.table.rows.values()].filter(({ key }) => key.pk.startsWith('onboarding-token#')));
});
