import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type OnboardingTokenId, usualPerMinute } from '../../../../lib/clients/onboarding-tokens/onboarding-token.ts';
import {
  closeShare,
  newShare,
  type Shared,
  shareOf,
  sharesFor,
  sharesMax,
  useShare,
} from '../../../../lib/clients/onboarding-tokens/rows/share.ts';
import type { Fqdn, ZoneName } from '../../../../lib/core/ids.ts';
import { dayMs, plusMs } from '../../../../lib/core/time.ts';
import { mintSecret } from '../../../../lib/identity/secret-text.ts';
import { fpOf, noon } from '../../../../tools/support/builders.ts';
import { Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

const { id, hash, text } = mintSecret('mot', (bytes) => new Uint8Array(bytes).fill(5));
const secret = text.split('_')[2]!;
const aToken = (uses: number): Shared => ({
  id: id as OnboardingTokenId,
  hash,
  zone: 'default' as ZoneName,
  tags: [],
  groups: [],
  uses,
  used: uses,
  createdAt: noon,
  expiresAt: plusMs(noon, dayMs),
  shares: sharesFor(uses, usualPerMinute)!,
});
const use = { type: 'use', id: 'a use', secret, source: '10.0.0.1', fqdn: 'web1.acme.org' as Fqdn } as const;
const manyUses = fc.integer({ min: 2, max: 1_000_000 });

describe('the shares of a token', () => {
  it('come to its uses, however many those are, and differ by one at the most', () => {
    fc.assert(
      fc.property(manyUses, (uses) => {
        const token = aToken(uses);
        const shares = Array.from({ length: token.shares }, (_, n) => newShare(token, n).uses);
        expect(shares.reduce((sum, one) => sum + one, 0)).toBe(uses);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
        expect(Math.min(...shares)).toBeGreaterThan(0);
        expect(token.shares).toBeLessThanOrEqual(sharesMax);
      }),
    );
  });

  it('accept as many as the token may in whatever order machines come to them, and nobody once they are closed', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 200 }), fc.array(fc.nat(63), { maxLength: 400 }), fc.boolean(), (uses, places, isClosed) => {
        const token = aToken(uses);
        const shares = Array.from({ length: token.shares }, (_, n) => newShare(token, n));
        for (const place of places) {
          const n = place % token.shares;
          const before = shares[n]!;
          const decision = useShare(token, before, use, noon);
          expect(decision.does).toBe(before.used < before.uses ? 'write' : 'nothing');
          if (decision.does === 'write') shares[n] = decision.next;
        }
        expect(shares.reduce((sum, { used }) => sum + used, 0)).toBeLessThanOrEqual(uses);
        const closed = closeShare(token, shares[0]!, noon);
        if (isClosed && closed.does === 'write')
          expect(useShare(token, closed.next, use, noon)).toMatchObject({ does: 'nothing', because: 'it is revoked' });
      }),
    );
  });

  it('accept nobody who does not show the secret', () => {
    const token = aToken(9);
    expect(useShare(token, newShare(token, 0), { ...use, secret: 'another' }, noon).does).toBe('nothing');
  });

  it('are met about evenly by machines', () => {
    const token = aToken(1_000);
    const met = Array.from({ length: 6_400 }, (_, n) => shareOf(fpOf(n), token));
    expect(new Set(met).size).toBe(sharesMax);
    expect(Math.max(...[...new Set(met)].map((share) => met.filter((one) => one === share).length))).toBeLessThan(150);
  });
});

describe('machines that race for a token of many uses', () => {
  let world: World;
  beforeEach(async () => {
    world = await stepped();
    // They all come from one address, whose row would let only a few of them through at once.
    await world.call('PATCH', '/api/v1/settings', { newKeysPerSource: 0 });
  });
  const made = async (uses: number) =>
    (await world.call('POST', '/api/v1/onboarding-tokens', { uses })).body as { secret: string; token: { id: string } };
  const shown = async () =>
    ((await world.call('GET', '/api/v1/onboarding-tokens')).body as { items: { used: number; uses: number; status: string }[] }).items[0]!;
  const racing = (count: number, from = 0) => Array.from({ length: count }, (_, n) => new Daemon(world, `web${from + n}.acme.org`));

  it.each([2, 7, 65, 100])('of %i, exactly so many are accepted, and it says so', async (uses) => {
    const { secret: token } = await made(uses);
    const daemons = racing(uses + 9);
    let answers = await Promise.all(daemons.map((daemon) => daemon.knock({ token })));
    // Whoever met too many of the others comes back, as its daemon would.
    for (let round = 0; round < 5 && answers.some(({ status }) => status === 503); round++)
      answers = await Promise.all(answers.map((answer, n) => (answer.status === 503 ? daemons[n]!.knock({ token }) : answer)));
    expect(answers.filter(({ body }) => body === '2')).toHaveLength(uses);
    expect(answers.filter(({ body }) => body === '0')).toHaveLength(9);
    expect(await shown()).toMatchObject({ uses, used: uses, status: 'used' });
  });

  it('nobody is accepted once it is known to be revoked, who had read it before', async () => {
    const { secret: token, token: kept } = await made(50);
    const late = racing(20, 100);
    const answers = late.map((daemon) => daemon.knock({ token }));
    await world.call('POST', `/api/v1/onboarding-tokens/${kept.id}/revoke`, {});
    const { used } = await shown();
    const accepted = (await Promise.all(answers)).filter(({ body }) => body === '2').length;
    expect(await shown()).toMatchObject({ used, status: 'revoked' });
    expect(accepted).toBe(used);
    expect((await racing(1, 200)[0]!.knock({ token })).body).toBe('0');
  });

  it('does not stand in the way of deleting its zone once all its uses are taken', async () => {
    await world.call('POST', '/api/v1/zones', { name: 'emea' });
    const { secret: token } = (await world.call('POST', '/api/v1/onboarding-tokens', { uses: 2, zone: 'emea' })).body as { secret: string };
    const refusal = async () => JSON.stringify((await world.call('POST', '/api/v1/zones/emea/delete', {})).body);
    expect(await refusal()).toContain('1 onboarding token');
    for (const daemon of racing(2)) await daemon.knock({ token });
    expect(await refusal()).not.toContain('onboarding token');
  });
});
