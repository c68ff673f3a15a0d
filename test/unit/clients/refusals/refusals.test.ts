import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { addedUp, Refusals, type RefusedKnocks, refusalsMax, shownForMs } from '../../../../lib/clients/refusals/refusal.ts';
import { hourMs, plusMs } from '../../../../lib/core/time.ts';
import { mintSecret } from '../../../../lib/identity/secret-text.ts';
import { noon } from '../../../../tools/support/builders.ts';
import { Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

type Shown = { items: { reason: string; because?: string; source: string; token?: string; zone?: string; count: number }[] };

let world: World;
let made = 0;
beforeEach(async () => {
  world = await stepped();
});
const knockFrom = (address: string, more: object = {}) =>
  Object.assign(new Daemon(world, `web${++made}.acme.org`), { address }).knock(more);
const shown = async (): Promise<Shown['items']> => ((await world.call('GET', '/api/v1/refused-knocks')).body as Shown).items;
const counts = async () => (await shown()).map(({ reason, source, count }) => `${count} ${reason} ${source}`).sort();
const aToken = async (body: object) =>
  (await world.call('POST', '/api/v1/onboarding-tokens', body)).body as { secret: string; token: { id: string } };
const rows = () => [...world.table.rows.values()].filter(({ key }) => key.sk === 'onboarding-refusals');

describe('knocks that were refused', () => {
  it('are shown by reason, address and token, and how many there were', async () => {
    await world.call('PATCH', '/api/v1/settings', { newKeysPerSource: 1 });
    const { secret: token, token: kept } = await aToken({ uses: 9, perMinute: 1 });
    const { secret: inside, token: net } = await aToken({ cidr: '10.0.0.0/8' });
    await knockFrom('198.51.100.7');
    expect((await knockFrom('198.51.100.7')).status).toBe(429);
    world.sleep(10_000);
    expect((await knockFrom('198.51.100.7', { token })).body).toBe('2');
    expect((await knockFrom('198.51.100.7', { token })).status).toBe(429);
    world.sleep(10_000);
    await knockFrom('2001:db8:0:7::1', { token: inside });

    expect(await shown()).toEqual([
      expect.objectContaining({
        reason: 'token-refused',
        because: 'it is for 10.0.0.0/8, not 2001:db8:0:7::1',
        source: '2001:db8:0:7::/64',
        token: net.id,
        zone: 'default',
        count: 1,
      }),
      expect.objectContaining({ reason: 'onboarding-rate', source: '198.51.100.7', token: kept.id, count: 1 }),
      expect.objectContaining({ reason: 'onboarding-rate', source: '198.51.100.7', count: 1 }),
    ]);
    expect((await world.call('GET', '/api/v1/status')).body).toMatchObject({ refusedKnocks: 3 });
  });

  it('are shown to whoever is limited to zones where they brought a token of these zones', async () => {
    await world.call('POST', '/api/v1/zones', { name: 'emea' });
    await world.call('POST', '/api/v1/zones', { name: 'apac' });
    for (const zone of ['emea', 'apac']) {
      const { secret: token } = await aToken({ zone, cidr: '10.0.0.0/8' });
      await knockFrom('198.51.100.7', { token });
      world.sleep(10_000);
    }
    await knockFrom('198.51.100.7', { token: 'none' });
    const key = (await world.call('POST', '/api/v1/keys', { name: 'emea', scopes: ['read'], zones: ['emea'] })).body as { secret: string };
    const ask = async (path: string) => (await world.call('GET', path, undefined, { authorization: `Bearer ${key.secret}` })).body;
    expect(await ask('/api/v1/refused-knocks')).toMatchObject({ items: [{ zone: 'emea', count: 1 }] });
    expect(await ask('/api/v1/status')).toMatchObject({ refusedKnocks: 1 });
    expect(await shown()).toHaveLength(3);
  });

  it('cost one write in ten seconds, however many there are, and none is lost', async () => {
    await world.call('PATCH', '/api/v1/settings', { newKeysPerSource: 1 });
    for (let n = 0; n < 9; n++) await knockFrom('198.51.100.7');
    expect(rows().map(({ rev }) => rev)).toEqual([1]);
    world.sleep(10_000);
    await knockFrom('198.51.100.7');
    expect(rows().reduce((sum, { rev }) => sum + rev, 0)).toBe(2);
    expect(await counts()).toEqual(['9 onboarding-rate 198.51.100.7']);
  });

  it('are forgotten after an hour', async () => {
    await world.call('PATCH', '/api/v1/settings', { newKeysPerSource: 1 });
    for (let n = 0; n < 2; n++) await knockFrom('198.51.100.7');
    world.sleep(hourMs);
    expect(await shown()).toEqual([]);
    expect((await world.call('GET', '/api/v1/status')).body).toMatchObject({ refusedKnocks: 0 });
  });

  it('show no secret, and not even the name of a token that nobody made', async () => {
    const guess = mintSecret('mot', (bytes) => new Uint8Array(bytes).fill(3));
    await knockFrom('198.51.100.7', { token: guess.text });
    const stored = JSON.stringify(rows().map(({ body }) => body));
    expect(await counts()).toEqual(['1 token-refused 198.51.100.7']);
    expect(stored).not.toContain(guess.id);
    expect(stored).not.toContain(guess.secret);
  });

  it('change nothing about the refusal where they cannot be stored', async () => {
    await world.call('PATCH', '/api/v1/settings', { newKeysPerSource: 1 });
    await knockFrom('198.51.100.7');
    const { table } = world.environment('knock');
    const { commit } = table;
    Object.assign(table, { commit: () => Promise.reject(new Error('the table is away')) });
    expect((await knockFrom('198.51.100.7')).status).toBe(429);
    Object.assign(table, { commit });
    expect(world.logged.map(({ code }) => code)).toContain('refusals.unstored');
    world.sleep(10_000);
    expect((await knockFrom('198.51.100.7')).status).toBe(429);
    expect(await counts()).toEqual(['2 onboarding-rate 198.51.100.7']);
  });
});

describe('a row of refused knocks', () => {
  const one = fc.record({
    reason: fc.constantFrom('onboarding-rate', 'rate-limited'),
    source: fc.nat(99).map((n) => `192.0.2.${n}`),
    count: fc.integer({ min: 1, max: 9 }),
    firstAt: fc.nat(2 * hourMs).map((ms) => plusMs(noon, ms - 2 * hourMs)),
  });
  const refusals = fc.array(
    one.map((refused): RefusedKnocks => ({ ...refused, lastAt: refused.firstAt })),
    { maxLength: 200 },
  );

  it('adds up what is the same, whatever order it comes in, and forgets only what is an hour old', () => {
    fc.assert(
      fc.property(refusals, (all) => {
        const sums = addedUp(all, noon);
        const total = (some: readonly RefusedKnocks[]) => some.reduce((sum, { count }) => sum + count, 0);
        expect(total(sums)).toBe(total(all.filter(({ lastAt }) => lastAt + shownForMs > noon)));
        expect(new Set(sums.map(({ reason, source }) => `${reason} ${source}`)).size).toBe(sums.length);
        expect(total(addedUp([...all].reverse(), noon))).toBe(total(sums));
        expect(Refusals.safeParse({ refused: sums.slice(0, refusalsMax) }).success).toBe(true);
      }),
    );
  });
});
