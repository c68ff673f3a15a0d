import { beforeEach, describe, expect, it } from 'vitest';
import { dayMs, hourMs, secondMs } from '../../../../lib/core/time.ts';
import { noon } from '../../../../tools/support/a-row.ts';
import { Agent, Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

let world: World;
let web: Daemon;
beforeEach(async () => {
  world = await stepped();
  await new Agent(world, 'node1.acme.org').start();
  web = await new Daemon(world, 'web1.acme.org').onboarded();
});
const rotate = (body: object = {}) => world.call('POST', '/api/v1/token-keys/rotate', body);
const keys = async () => (await world.call('GET', '/api/v1/token-keys')).body;
const at = (ms: number): string => new Date(noon + ms).toISOString();
const knockOrder = async (): Promise<string | undefined> => (await web.status()).headers['muster-knock'];

describe('the keys of membership tokens', () => {
  it('are one at first, and two once they were rotated', async () => {
    expect(await keys()).toEqual({ items: [{ id: 1, use: 'signs' }] });
    const now = world.now() - noon;
    expect(await rotate()).toMatchObject({
      status: 200,
      body: { current: 2, because: 'key 2 signs; tokens of key 1 are valid until they are renewed' },
    });
    expect(await keys()).toEqual({
      items: [
        { id: 2, use: 'signs', since: at(now) },
        { id: 1, use: 'verifies' },
      ],
    });
    expect(world.logged).toContainEqual(expect.objectContaining({ code: 'keys.rotated', fields: expect.objectContaining({ current: 2 }) }));
  });

  it('are not shown, nor logged', async () => {
    await rotate();
    const secrets = await Promise.all([1, 2].map(async (id) => (await world.environment('knock').keys.byId(id))!.secret));
    const told = JSON.stringify([await keys(), world.logged]);
    for (const secret of secrets)
      for (const form of ['base64', 'base64url', 'hex'] as const) expect(told).not.toContain(Buffer.from(secret).toString(form));
  });

  it('hold until they are renewed when a new one signs, and are renewed with it', async () => {
    const old = web.token;
    await rotate();
    expect([(await web.status()).body, await knockOrder(), web.token]).toEqual(['1', undefined, old]);
    await web.knock({ confirmed: 'node1.acme.org' });
    expect(web.token).not.toBe(old);
    expect([(await web.status()).body, await knockOrder()]).toEqual(['1', undefined]);
  });

  it('are not retired while their tokens may be in use, unless forced', async () => {
    await rotate();
    const since = world.now();
    await world.step(hourMs);
    const detail = `tokens of key 1 are in use until ${new Date(since + 7 * dayMs).toISOString()}: their owners would have to knock again at once; wait until then, or force it`;
    expect(await rotate()).toMatchObject({ status: 409, body: { type: 'urn:muster:problem:refused', detail } });
    expect((await web.status()).body).toBe('1');
    expect(await rotate({ force: true })).toMatchObject({ status: 200, body: { current: 3, retired: 1 } });
  });

  it('are rotated once by whoever names the key to replace, however often the call is made', async () => {
    const first = { replaces: 1, force: true };
    expect(await rotate(first)).toMatchObject({ status: 200, body: { current: 2 } });
    expect(await rotate(first)).toMatchObject({ status: 200, body: { current: 2, because: 'key 2 signs already' } });
    expect(await rotate({ replaces: 2, force: true })).toMatchObject({ status: 200, body: { current: 3, retired: 1 } });
    expect(await rotate(first)).toMatchObject({ status: 200, body: { current: 3 } });
    expect(await keys()).toMatchObject({ items: [{ id: 3 }, { id: 2 }] });
    expect(await rotate({ replaces: 4, force: true })).toMatchObject({ status: 409, body: { type: 'urn:muster:problem:refused' } });
  });

  it('that were retired make their owners knock, and the new token holds', async () => {
    await rotate();
    await rotate({ force: true });
    expect([(await web.status()).body, await knockOrder()]).toEqual(['1', '1']);
    await web.knock({ confirmed: 'node1.acme.org' });
    expect([(await web.status()).body, await knockOrder()]).toEqual(['1', undefined]);
  });

  it('can be rotated again when no token of the key before is left', async () => {
    await rotate();
    world.sleep(7 * dayMs - secondMs);
    expect(await rotate()).toMatchObject({ status: 409 });
    world.sleep(secondMs);
    expect(await rotate()).toMatchObject({ status: 200, body: { current: 3, retired: 1 } });
  });

  it('sign cursors as well, which hold as long', async () => {
    for (const name of ['web2.acme.org', 'web3.acme.org']) await new Daemon(world, name).accepted();
    const page = async (cursor: string) => (await world.call('GET', `/api/v1/systems?limit=1&cursor=${cursor}`)).status;
    const { next } = (await world.call('GET', '/api/v1/systems?limit=1')).body as { next: string };
    await rotate();
    expect(await page(next)).toBe(200);
    await rotate({ force: true });
    expect(await page(next)).toBe(400);
  });

  it('are replaced on record: who ordered it stands in a row that the audit is made from, the keys do not', async () => {
    await rotate();
    const row = await world.table.read({ pk: 'deployment', sk: 'token-keys' });
    expect(row).toMatchObject({
      body: { replaced: 1, force: false },
      because: 'key 1 stops signing',
      actor: { who: 'operator', source: '127.0.0.1' },
    });
  });

  it('are replaced once when two rotate at the same time', async () => {
    const answers = await Promise.all([rotate(), rotate()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(await keys()).toMatchObject({ items: [{ id: 2 }, { id: 1 }] });
  });
});

describe('the keys of the audit', () => {
  it('are replaced by an order that the audit has, and none of them is ever retired', async () => {
    const sealing = async () => ((await world.call('GET', '/api/v1/token-keys?of=audit')).body as { items: object[] }).items;
    expect(await sealing()).toEqual([{ id: 1, use: 'signs' }]);
    for (const replaces of [1, 2])
      expect(await rotate({ of: 'audit', replaces })).toMatchObject({ status: 200, body: { current: replaces + 1 } });
    expect(await rotate({ of: 'audit', replaces: 1 })).toMatchObject({ body: { current: 3, because: 'key 3 signs already' } });
    expect(await sealing()).toMatchObject([{ id: 3, use: 'signs' }, { id: 2, use: 'verifies' }, { id: 1 }]);
    expect(await keys()).toEqual({ items: [{ id: 1, use: 'signs' }] });
    await world.step(hourMs);
    const verdict = await world.call('GET', '/api/v1/audit/verify');
    expect(verdict.body).toMatchObject({ ok: true, faults: [] });
    const audit = (await world.call('GET', '/api/v1/audit')).body as { items: { because: string }[] };
    expect(audit.items.map(({ because }) => because)).toContain("the audit's key 2 stops signing");
  });
});
