import { beforeEach, describe, expect, it } from 'vitest';
import { bindKey } from '../../../../lib/access/machine-keys.ts';
import { Fingerprint, showFingerprint } from '../../../../lib/core/ids.ts';
import { hourMs, minuteMs } from '../../../../lib/core/time.ts';
import { fingerprintOf } from '../../../../lib/identity/fingerprint.ts';
import { mintSecret } from '../../../../lib/identity/secret-text.ts';
import { askAgainMs, pooledForMs } from '../../../../lib/nodes/admission/rows/pooled-host.ts';
import { newHostsMax } from '../../../../lib/nodes/admission/source.ts';
import type { JoinToken } from '../../../../lib/nodes/join-tokens/join-token.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { applyPlan } from '../../../../lib/runtime/apply-plan.ts';
import { Agent } from '../../../../tools/support/players.ts';
import { stepped, type World, type WorldReply } from '../../../../tools/support/stepped.ts';

let world: World;
beforeEach(async () => {
  world = await stepped({ admits: 'nobody' });
});

const problem = (type: string) => ({ body: { type: `urn:muster:problem:${type}` } });
const fqdn = 'node1.acme.org';
const fpOf = ({ publicKey }: Agent): Fingerprint => Fingerprint.parse(fingerprintOf(publicKey));
const post = async <T>(path: string, body: object = {}): Promise<{ status: number; body: T }> =>
  (await world.call('POST', `/api/v1/${path}`, body)) as WorldReply & { body: T };
const get = async <T>(path: string): Promise<T> => (await world.call('GET', `/api/v1/${path}`)).body as T;

type Made = { secret: string; token: { id: string } };
const aToken = async (more: object = {}): Promise<Made> => (await post<Made>('node-tokens', { nodes: fqdn, kind: 'salt', ...more })).body;
const admit = async (...hosts: string[]) =>
  (await post<{ results: { done: boolean; because: string }[] }>('node-pool/admit', { hosts })).body.results;
const poolNow = async () => (await get<{ items: { fqdn: string; standing: string; fp: string }[] }>('node-pool')).items;
const rowOf = async <T>(noun: string, id: string): Promise<T | undefined> => {
  const row = await world.table.read(keyOf({ noun, id }));
  return row?.gone ? undefined : (row?.body as T | undefined);
};
/** Why an attempt was refused in truth, as it is kept for the audit. */
const reasons = (): string[] => [...world.table.rows.values()].filter(({ key }) => key.sk === 'attempt').map(({ because }) => because);

describe('a host that nobody has admitted', () => {
  it('waits in the pool and is told what its administrator compares', async () => {
    const host = new Agent(world, fqdn);

    expect(await host.join()).toMatchObject({
      status: 202,
      body: { pooled: true, fingerprint: showFingerprint(fpOf(host)), nextMs: askAgainMs },
    });

    expect(await poolNow()).toMatchObject([{ fqdn, standing: 'waiting', fp: fpOf(host), source: '127.0.0.1' }]);
    expect(await rowOf('node', host.id)).toBeUndefined();
    expect(await rowOf('key', fpOf(host))).toBeUndefined();
  });

  it.each(['its name', 'its fingerprint'])('is a node at its next join once it is admitted by %s, and leaves the pool', async (by) => {
    const host = new Agent(world, fqdn);
    await host.join();

    expect(await admit(by === 'its name' ? fqdn : showFingerprint(fpOf(host)))).toMatchObject([{ done: true }]);
    expect(await host.join()).toMatchObject({ status: 201, body: { node: host.id, zone: 'default' } });

    expect(await poolNow()).toEqual([]);
    expect(await rowOf('key', fpOf(host))).toMatchObject({ owner: { noun: 'node', id: host.id }, state: 'bound' });
    expect((await host.join()).status).toBe(201);
  });

  it('was admitted under one name, and under another waits again', async () => {
    const host = new Agent(world, fqdn);
    await host.join();
    await admit(fqdn);
    expect((await host.join({ fqdn: 'node2.acme.org' })).status).toBe(202);
    expect((await host.join()).status).toBe(202);
  });

  it('by a name of one label › joins storage alone: client systems could not find it', async () => {
    const host = new Agent(world, 's3-client-191');
    expect(await host.join()).toMatchObject({ status: 422, body: { errors: [{ pointer: '/fqdn' }] } });
    expect((await host.join({ kind: 'storage' })).status).toBe(202);
    const [asUyuni] = (await post<{ results: object[] }>('node-pool/admit', { hosts: ['s3-client-191'], kind: 'uyuni' })).body.results;
    expect(asUyuni).toMatchObject({ done: false, because: expect.stringContaining('has no domain') });

    const { secret } = await aToken({ nodes: 's3-client-191', kind: 'storage' });
    expect((await host.join({ kind: 'storage', token: secret })).status).toBe(201);
    expect(await rowOf('node', host.id)).toMatchObject({ fqdn: 's3-client-191', kind: 'storage' });
  });

  it('is admitted as what its administrator says', async () => {
    const host = new Agent(world, fqdn);
    await host.join();
    await post('node-pool/admit', { hosts: [fqdn], kind: 'storage' });
    await host.join();
    expect(await rowOf('node', host.id)).toMatchObject({ kind: 'storage' });
  });

  it('is meant by its fingerprint where two wait under one name', async () => {
    const [one, other] = [new Agent(world, fqdn), new Agent(world, fqdn, 'another key')];
    await one.join();
    await other.join();
    expect(await admit(fqdn)).toMatchObject([{ done: false, because: expect.stringContaining('2 hosts wait under this name') }]);
    expect(await admit(fpOf(one))).toMatchObject([{ done: true }]);
    expect((await one.join()).status).toBe(201);
    expect((await other.join()).status).toBe(202);
  });

  it('that was rejected is answered so, until it is admitted or has a token that is newer', async () => {
    const host = new Agent(world, fqdn);
    const before = await aToken();
    await host.join();
    world.sleep(1_000);
    await post('node-pool/reject', { hosts: [fqdn] });
    expect(await host.join()).toMatchObject({ status: 410, ...problem('removed') });
    expect(await host.join({ token: before.secret })).toMatchObject({ status: 401, ...problem('join-denied') });
    world.sleep(1_000);
    expect((await host.join({ token: (await aToken()).secret })).status).toBe(201);
  });

  it('is forgotten when it has not asked for a month', async () => {
    await new Agent(world, fqdn).join();
    world.sleep(pooledForMs);
    expect(await poolNow()).toEqual([]);
    expect(await admit(fqdn)).toMatchObject([{ done: false }]);
  });

  it('comes in no flood: so many of one source an hour, and no token is needed by none of another', async () => {
    for (let n = 1; n <= newHostsMax; n++) await new Agent(world, `flood${n}.acme.org`).join();
    const late = new Agent(world, 'late.acme.org');
    expect(await late.join()).toMatchObject({ status: 429, ...problem('onboarding-rate'), headers: { 'retry-after': '3600' } });
    expect((await new Agent(world, 'flood1.acme.org').join()).status).toBe(202);
    expect((await late.join({ token: (await aToken({ nodes: 'late.acme.org' })).secret })).status).toBe(201);
    world.sleep(hourMs);
    expect((await new Agent(world, 'later.acme.org').join()).status).toBe(202);
  });
});

describe('a join token', () => {
  it('makes its host a node, is burnt in that commit, and gives the same host the same answer again', async () => {
    const { secret, token } = await aToken();
    const host = new Agent(world, fqdn);
    const first = await host.join({ token: secret });
    expect(first).toMatchObject({ status: 201, body: { node: host.id } });
    expect((await host.join({ token: secret })).body).toEqual(first.body);
    const [node, stored] = [
      await world.table.read(keyOf({ noun: 'node', id: host.id })),
      await world.table.read(keyOf({ noun: 'join-token', id: token.id })),
    ];
    expect((stored!.body as JoinToken).admitted).toMatchObject([{ fp: fpOf(host), node: host.id }]);
    expect(stored!.by).toBe(node!.by);
  });

  it('is kept as a hash alone: its secret is in no row', async () => {
    const { secret } = await aToken();
    const stored = JSON.stringify([...world.table.rows.values()], (_name, value) => (value instanceof Uint8Array ? undefined : value));
    expect(stored).toContain(secret.split('_')[1]);
    expect(stored).not.toContain(secret.slice(17, 60));
  });

  it('that does not fit is refused in one way, whatever is wrong; the reason is for the audit alone', async () => {
    const mistyped = (await aToken()).secret.replace(/.{6}$/, '000000');
    const forged = mintSecret('mjt', (bytes) => new Uint8Array(bytes)).text;
    const revoked = await aToken();
    await post(`node-tokens/${revoked.token.id}/revoke`);
    const used = await aToken();
    await new Agent(world, fqdn, 'the first').join({ token: used.secret });
    const kind = await aToken({ kind: 'storage' });
    const name = await aToken({ nodes: 'node2.acme.org' });
    const network = await aToken({ cidr: '192.0.2.0/24' });
    const expired = await aToken();
    world.sleep(hourMs);

    const answers = await Promise.all(
      [mistyped, forged, revoked.secret, used.secret, expired.secret, 'none'].map((token) => new Agent(world, fqdn, token).join({ token })),
    );
    const fresh = await Promise.all(
      [kind, name, network].map(({ secret }, n) => new Agent(world, fqdn, `fresh ${n}`).join({ token: secret })),
    );
    const shapes = [...answers, ...fresh].map(({ status, headers, body }) => {
      const { instance: _call, ...rest } = body as { instance: string };
      return JSON.stringify({ status, headers, rest });
    });
    expect(shapes[0]).toContain('join-denied');
    expect(new Set(shapes).size).toBe(1);
    for (const why of [/mistyped/, /no token has the id/, /is revoked/, /is used/, /is expired/, /no-secret/])
      expect(reasons()).toContainEqual(expect.stringMatching(why));
    expect(await poolNow()).toEqual([]);
  });

  it('that is brought again and again is in the audit once an hour, and each host for itself', async () => {
    const { secret, token } = await aToken({ nodes: 'node2.acme.org' });
    await post(`node-tokens/${token.id}/revoke`);
    const told = () => reasons().filter((why) => why.includes('is revoked')).length;
    const [one, another] = [new Agent(world, fqdn, 'one'), new Agent(world, fqdn, 'another')];
    for (let minute = 0; minute < 60; minute++) {
      expect((await one.join({ token: secret })).status).toBe(401);
      world.sleep(minuteMs);
    }
    expect(told()).toBe(1);
    await one.join({ token: secret });
    await another.join({ token: secret });
    expect(told()).toBe(3);
  });

  it('for hosts of another kind, name or network refuses them for that alone', async () => {
    for (const [more, why] of [
      [{ kind: 'storage' }, /for hosts of kind storage, not salt/],
      [{ nodes: 'node2.acme.org' }, /for node2\.acme\.org, not node1\.acme\.org/],
      [{ cidr: '192.0.2.0/24' }, /for 192\.0\.2\.0\/24, not 127\.0\.0\.1/],
    ] as const) {
      const { secret } = await aToken(more);
      expect((await new Agent(world, fqdn).join({ token: secret })).status).toBe(401);
      expect(reasons()).toContainEqual(expect.stringMatching(why));
    }
  });

  it('that two hosts bring at once admits exactly one', async () => {
    const { secret } = await aToken({ nodes: 'node[1-2].acme.org', uses: 1 });
    const [one, other] = [new Agent(world, 'node1.acme.org'), new Agent(world, 'node2.acme.org')];
    const answers = await Promise.all([one.join({ token: secret }), other.join({ token: secret })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 401]);
    expect(reasons()).toEqual([expect.stringContaining('the token is used')]);
  });

  it('for a set admits as many as it has uses, from its network', async () => {
    const { secret } = await aToken({ nodes: 'ssu[1-40].acme.org', uses: 2, cidr: '127.0.0.0/8' });
    const statuses = [];
    for (const n of [1, 40, 41, 3]) statuses.push((await new Agent(world, `ssu${n}.acme.org`).join({ token: secret })).status);
    expect(statuses).toEqual([201, 201, 401, 401]);
  });

  it('lives an hour and is used once, if it is for one name; for a set a year at the most', async () => {
    expect(await post('node-tokens', { nodes: fqdn, uses: 2 })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/uses' }] } });
    const at = (ms: number) => new Date(world.now() + ms).toISOString();
    expect(await post('node-tokens', { nodes: fqdn, expiresAt: at(hourMs + 1) })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/expiresAt' }] },
    });
    expect(await post('node-tokens', { nodes: '*.acme.org', expiresAt: at(366 * 24 * hourMs) })).toMatchObject({ status: 422 });
    expect(await post('node-tokens', { nodes: '*.acme.org', expiresAt: at(-1) })).toMatchObject({ status: 422 });
    expect(await post('node-tokens', { nodes: '*.acme.org', zone: 'nowhere' })).toMatchObject({ status: 404, ...problem('unknown-zone') });
    expect(await post('node-tokens', { nodes: '(a+)+.org' })).toMatchObject({ status: 422, body: { errors: [{ pointer: '/nodes' }] } });
    expect(await post('node-tokens/000000000000/revoke')).toMatchObject({ status: 404, ...problem('unknown-token') });
  });

  it('decides the zone, whatever the host asks for', async () => {
    const { secret } = await aToken();
    expect(await new Agent(world, fqdn).join({ token: secret, zone: 'elsewhere' })).toMatchObject({
      status: 201,
      body: { zone: 'default' },
    });
  });

  it('admits no host under a name that a member has', async () => {
    await new Agent(world, fqdn).start({ token: (await aToken()).secret });
    const { secret, token } = await aToken();
    expect(await new Agent(world, fqdn, 'another key').join({ token: secret })).toMatchObject({ status: 409, ...problem('fqdn-in-use') });
    expect((await rowOf<JoinToken>('join-token', token.id))?.admitted).toEqual([]);
  });
});

describe('a key', () => {
  it('of a client system is no node’s', async () => {
    const host = new Agent(world, fqdn);
    const held = { fp: fpOf(host), row: undefined, client: undefined, key: undefined };
    await applyPlan(world.environment('knock'), { id: 'a knock' }, async () => ({
      changes: bindKey(held, { noun: 'client', id: fpOf(host) }, world.now()),
      because: ['a client system has it'],
    }));
    expect(await host.join({ token: (await aToken()).secret })).toMatchObject({
      status: 409,
      ...problem('key-in-use'),
    });
  });
});

describe('an admission rule', () => {
  const add = (more: object = {}) =>
    post<{ rules: { left?: number }[] }>('admission-rules', { name: 'racks', nodes: 'ssu[1-40].acme.org', ...more });

  it('admits whom it means, and counts them in the same commit', async () => {
    await add({ left: 2, cidr: '127.0.0.0/8', kind: 'salt' });
    const statuses = [];
    for (const name of ['ssu1.acme.org', 'web1.acme.org', 'ssu2.acme.org', 'ssu3.acme.org'])
      statuses.push((await new Agent(world, name).join()).status);
    expect(statuses).toEqual([201, 202, 201, 202]);
    expect(await get('admission-rules')).toMatchObject({ rules: [{ name: 'racks', left: 0 }] });
  });

  it('of one that is left admits one, whoever comes at once', async () => {
    await add({ left: 1 });
    const answers = await Promise.all([1, 2, 3].map((n) => new Agent(world, `ssu${n}.acme.org`).join()));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 202, 202]);
  });

  it('that is deleted admits nobody any more', async () => {
    await add();
    expect(await post('admission-rules/racks/delete')).toMatchObject({ status: 200, body: { rules: [] } });
    expect(await post('admission-rules/racks/delete')).toMatchObject({ status: 404, ...problem('unknown-rule') });
    expect((await new Agent(world, 'ssu1.acme.org').join()).status).toBe(202);
  });

  it('lets nobody in who brings a token that does not', async () => {
    await add();
    expect((await new Agent(world, 'ssu1.acme.org').join({ token: 'none' })).status).toBe(401);
  });
});

describe('a node that was removed', () => {
  const removed = async (): Promise<Agent> => {
    const node = await new Agent(world, fqdn).start({ token: (await aToken()).secret });
    await post('admission-rules', { name: 'all', nodes: '*' });
    world.sleep(1_000);
    expect(await post(`nodes/${fqdn}/remove`)).toMatchObject({ status: 202, body: { done: true } });
    return node;
  };

  it('is answered so whatever it says, stays out whatever rules and old tokens say, and its slots move', async () => {
    const old = await aToken({ nodes: '*.acme.org', uses: 9 });
    const node = await removed();
    expect(await node.beat()).toMatchObject({ status: 410, ...problem('removed') });
    await world.step(10_000);
    node.fallSilent();
    expect(await rowOf('node', node.id)).toMatchObject({ status: 'dropped' });
    node.boot += 1;
    expect(await node.up()).toMatchObject({ status: 410, ...problem('removed') });
    expect(await node.up(1)).toMatchObject({ status: 410, ...problem('removed') });
    expect(await node.join()).toMatchObject({ status: 410, ...problem('removed') });
    expect(await node.join({ token: old.secret })).toMatchObject({ status: 401, ...problem('join-denied') });
    expect(await rowOf('key', fpOf(node))).toMatchObject({ state: 'revoked' });
    expect(await post(`nodes/${fqdn}/remove`)).toMatchObject({ status: 202, body: { done: false } });
  });

  it.each(['an administrator admits it', 'it has a newer token'])('is let in again, as new, when %s', async (by) => {
    const node = await removed();
    node.fallSilent();
    await world.step(10_000);
    if (by === 'it has a newer token') expect((await node.join({ token: (await aToken()).secret })).status).toBe(201);
    else expect(await admit(fqdn)).toMatchObject([{ done: true }]);

    expect((await node.join()).status).toBe(201);
    node.boot += 1;
    expect(await node.up()).toMatchObject({ status: 409, ...problem('must-rejoin') });
    await node.up(1);
    await world.step(0);
    expect((await node.up(1)).body).toMatchObject({ acknowledged: true, generation: 2 });
    expect(await rowOf('key', fpOf(node))).toMatchObject({ state: 'bound' });
  });

  it('before it ever came up is let in again by its fingerprint', async () => {
    const host = new Agent(world, fqdn);
    await host.join({ token: (await aToken()).secret });
    await post(`nodes/${host.id}/remove`);
    expect(await host.join()).toMatchObject({ status: 410, ...problem('removed') });
    expect(await admit(fpOf(host))).toMatchObject([{ done: true }]);
    expect(await host.join()).toMatchObject({ status: 201, body: { node: host.id } });
  });
});
