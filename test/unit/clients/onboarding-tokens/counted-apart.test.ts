import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { hourMs } from '../../../../lib/core/time.ts';
import { fingerprintOf } from '../../../../lib/identity/fingerprint.ts';
import { mintSecret } from '../../../../lib/identity/secret-text.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { nameOf } from '../../../../lib/ports/table/table.ts';
import type { Rates } from '../../../../lib/runtime/rates.ts';
import { Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

const nat = '198.51.100.7';
const few = { perSecond: 1, burst: 4 };
const many = { perSecond: 1_000, burst: 1_000 };
const rates: Rates = {
  source: few,
  newcomers: few,
  token: { perSecond: 1, burst: 12 },
  node: many,
  client: many,
  admin: many,
  checks: many,
};

let world: World;
let made = 0;
const aMachine = (address = nat): Daemon => Object.assign(new Daemon(world, `web${++made}.acme.org`), { address });
const aToken = async (body: object = {}): Promise<{ secret: string; token: { id: string } }> =>
  (await world.call('POST', '/api/v1/onboarding-tokens', { uses: 1_000, ...body })).body as { secret: string; token: { id: string } };
const tally = async (count: number, knock: () => Promise<{ status: number; body: unknown }>): Promise<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (let n = 0; n < count; n++) {
    const { status, body } = await knock();
    const what = status === 200 ? String(body) : `${status} ${(body as { type: string }).type.split(':').at(-1)}`;
    counts[what] = (counts[what] ?? 0) + 1;
  }
  return counts;
};
const strangers = (count: number, more: object = {}) => tally(count, () => aMachine().knock(more));

describe('a machine with a valid onboarding token', () => {
  beforeEach(async () => {
    world = await stepped({ rates });
    await world.call('PATCH', '/api/v1/settings', { newKeysPerSource: 2 });
  });

  it('is let in however many strangers knocked from its address, and they however many of it did', async () => {
    const { secret: token } = await aToken();
    expect(await strangers(1, { token })).toEqual({ 2: 1 });
    expect(await strangers(8)).toEqual({ 0: 2, '429 onboarding-rate': 1, '429 rate-limited': 5 });

    expect(await strangers(9, { token })).toEqual({ 2: 9 });

    world.sleep(4_000);
    expect(await strangers(4)).toEqual({ '429 onboarding-rate': 4 });
  });

  it('is never refused for its neighbours, whoever else knocks from its address, and in whatever order', async () => {
    const knocks = fc.array(fc.constantFrom('token', 'stranger', 'guess', 'elsewhere'), { maxLength: 25 });
    const guess = mintSecret('mot', (bytes) => new Uint8Array(bytes).fill(3)).text;
    await fc.assert(
      fc.asyncProperty(knocks, async (kinds) => {
        world = await stepped({ rates: { ...rates, token: many } });
        await world.call('PATCH', '/api/v1/settings', { newKeysPerSource: 2 });
        const { secret: token } = await aToken();
        // Its first knock makes the token known to the environment.
        expect((await aMachine().knock({ token })).body).toBe('2');
        const others = { stranger: {}, guess: { token: guess } };
        let strangers = 0;
        for (const kind of kinds) {
          if (kind === 'token' || kind === 'elsewhere') {
            expect((await aMachine(kind === 'token' ? nat : '203.0.113.9').knock({ token })).body).toBe('2');
            continue;
          }
          const { status } = await aMachine().knock(others[kind]);
          strangers += status === 200 ? 1 : 0;
        }
        expect(strangers).toBe(Math.min(2, kinds.filter((kind) => kind === 'stranger' || kind === 'guess').length));
      }),
      { numRuns: 15 },
    );
  });

  it('is counted for its token at its address, apart from the same token elsewhere', async () => {
    const { secret: token } = await aToken();
    expect(await strangers(14, { token })).toEqual({ 2: 13, '429 rate-limited': 1 });
    expect(await tally(2, () => aMachine('203.0.113.9').knock({ token }))).toEqual({ 2: 2 });
  });

  it('is a stranger with a guess, with a token that is over, from another network, or without a signature', async () => {
    const { secret: token, token: kept } = await aToken();
    const { secret: inside } = await aToken({ cidr: '10.0.0.0/8' });
    const guess = mintSecret('mot', (bytes) => new Uint8Array(bytes).fill(3)).text;
    expect(await strangers(1, { token })).toEqual({ 2: 1 });
    expect(await strangers(2, { token: guess })).toEqual({ 0: 2 });
    expect(await strangers(1, { token: inside })).toEqual({ '429 onboarding-rate': 1 });
    world.sleep(12_000);
    await world.call('POST', `/api/v1/onboarding-tokens/${kept.id}/revoke`, {});
    expect(await strangers(5, { token })).toEqual({ '429 onboarding-rate': 4, '429 rate-limited': 1 });
    world.sleep(4_000);
    const unsigned = { publicKey: aMachine().publicKey, fqdn: 'web.acme.org', machineId: 'm', token };
    expect((await world.call('POST', '/system/knock', unsigned, {}, nat)).status).toBe(401);
  });

  it('leaves nothing behind beyond the cap of its address where its token does not accept it after all', async () => {
    const { secret: token } = await aToken();
    const clones = Array.from({ length: 6 }, () => aMachine());
    const answers = await tally(6, () => clones.pop()!.knock({ token, machineId: 'a-clone' }));
    // The first is accepted by the token; the others have its machine id, and wait for an administrator.
    expect(answers).toEqual({ 2: 1, 0: 2, '429 onboarding-rate': 3 });
  });

  it('is a stranger once all uses of its token are taken', async () => {
    const { secret: token } = await aToken({ uses: 3 });
    expect(await strangers(9, { token })).toEqual({ 2: 3, 0: 2, '429 onboarding-rate': 2, '429 rate-limited': 2 });
  });
});

describe('an address with more new machines than one row counts', () => {
  beforeEach(async () => {
    world = await stepped();
    await world.call('PATCH', '/api/v1/settings', { newKeysPerSource: 300 });
  });

  it('lets in exactly as many as its cap, however many of them come at once', async () => {
    const flood = Array.from({ length: 340 }, () => aMachine());
    for (let at = 0; at < flood.length; at += 8)
      await Promise.all(flood.slice(at, at + 8).map(async (daemon) => expect([200, 429, 503]).toContain((await daemon.knock()).status)));
    const known = () =>
      flood.filter(({ publicKey }) => world.table.rows.has(nameOf(keyOf({ noun: 'client', id: fingerprintOf(publicKey) }))));
    // A machine that met too many others comes back, as its daemon would.
    for (const daemon of flood) if (!known().includes(daemon)) await daemon.knock();
    expect(known()).toHaveLength(300);
    const rows = [...world.table.rows.values()].filter(({ key }) => key.pk.startsWith('source#'));
    expect(rows.map(({ body }) => (body as { keys: number }).keys)).toEqual([100, 100, 100]);
  });

  it('is known to be full until its cap is raised, or its hour is over', async () => {
    await tally(300, () => aMachine().knock());
    expect(await tally(2, () => aMachine().knock())).toEqual({ '429 onboarding-rate': 2 });
    await world.call('PATCH', '/api/v1/settings', { newKeysPerSource: 301 });
    await world.step(5_001);
    expect(await tally(2, () => aMachine().knock())).toEqual({ 0: 1, '429 onboarding-rate': 1 });
    world.sleep(hourMs);
    expect(await tally(2, () => aMachine().knock())).toEqual({ 0: 2 });
  });
});
