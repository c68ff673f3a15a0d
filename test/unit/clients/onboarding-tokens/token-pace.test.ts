import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { type OnboardingTokenId, perMinuteMax, usualPerMinute } from '../../../../lib/clients/onboarding-tokens/onboarding-token.ts';
import { newShare, paceOf, type Shared, sharesFor, useShare, waitFor } from '../../../../lib/clients/onboarding-tokens/rows/share.ts';
import type { Fqdn, ZoneName } from '../../../../lib/core/ids.ts';
import { dayMs, type EpochMs, minuteMs, plusMs } from '../../../../lib/core/time.ts';
import { mintSecret } from '../../../../lib/identity/secret-text.ts';
import { noon } from '../../../../tools/support/builders.ts';
import { Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

const { id, hash, text } = mintSecret('mot', (bytes) => new Uint8Array(bytes).fill(5));
const use = { type: 'use', id: 'a use', secret: text.split('_')[2]!, source: '10.0.0.1', fqdn: 'web1.acme.org' as Fqdn } as const;
const aToken = (uses: number, perMinute: number): Shared => ({
  id: id as OnboardingTokenId,
  hash,
  zone: 'default' as ZoneName,
  tags: [],
  groups: [],
  uses,
  used: uses,
  perMinute,
  createdAt: noon,
  expiresAt: plusMs(noon, dayMs),
  shares: sharesFor(uses, perMinute)!,
});

describe('the pace of a token', () => {
  it('is divided among its shares, each of which accepts at least one machine at once', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 1_000_000 }), fc.integer({ min: 1, max: perMinuteMax }), (uses, perMinute) => {
        const token = aToken(uses, perMinute);
        const { perSecond, burst } = paceOf(token);
        expect(perSecond * 60 * token.shares).toBeLessThanOrEqual(perMinute + 1e-6);
        expect(perSecond).toBeGreaterThan(0);
        expect(burst).toBeGreaterThanOrEqual(1);
        expect(burst * token.shares).toBeLessThanOrEqual(Math.max(token.shares, perMinute / 6));
      }),
    );
  });

  it('holds in every minute, by whatever clocks machines come and to whichever shares', () => {
    const step = fc.record({
      afterMs: fc.integer({ min: 0, max: 3_000 }),
      share: fc.nat(63),
      skewMs: fc.integer({ min: -4_000, max: 4_000 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 120 }), fc.array(step, { minLength: 1, maxLength: 300 }), (perMinute, steps) => {
        const token = aToken(100_000, perMinute);
        const shares = Array.from({ length: token.shares }, (_, n) => newShare(token, n));
        const accepted: number[] = [];
        let now = noon;
        for (const { afterMs, share, skewMs } of steps) {
          now = plusMs(now, afterMs);
          const seen = plusMs(now, skewMs);
          const n = share % token.shares;
          const decision = useShare(token, shares[n]!, use, seen);
          expect(decision.does).toBe(waitFor(token, shares[n]!, seen) === 0 ? 'write' : 'nothing');
          if (decision.does !== 'write') continue;
          shares[n] = decision.next;
          accepted.push(now);
        }
        const inMinuteFrom = (at: number): number => accepted.filter((one) => one >= at && one < at + minuteMs).length;
        // Clocks that differ by 8 s lengthen the minute by as much.
        const most = perMinute * ((minuteMs + 8_000) / minuteMs) + paceOf(token).burst * token.shares;
        for (const at of accepted) expect(inMinuteFrom(at)).toBeLessThanOrEqual(most);
      }),
    );
  });

  it('tells a machine how long to wait, and accepts it then', () => {
    const token = aToken(100, 30);
    const first = useShare(token, newShare(token, 0), use, noon);
    const share = first.does === 'write' ? first.next : newShare(token, 0);
    const waitMs = waitFor(token, share, noon);
    expect(waitMs).toBe(10_000);
    expect(useShare(token, share, use, plusMs(noon, waitMs - 1)).does).toBe('nothing');
    expect(useShare(token, share, use, plusMs(noon, waitMs)).does).toBe('write');
  });

  it('does not stop because a clock was an hour ahead', () => {
    const token = aToken(100, 30);
    const ahead = useShare(token, newShare(token, 0), use, plusMs(noon, 60 * minuteMs));
    expect(ahead.does === 'write' && useShare(token, ahead.next, use, noon).does).toBe('write');
  });
});

describe('machines that come with a token faster than its pace', () => {
  let world: World;
  beforeEach(async () => {
    world = await stepped();
  });
  const made = async (body: object) =>
    (await world.call('POST', '/api/v1/onboarding-tokens', body)).body as { secret: string; token: { id: string; perMinute: number } };
  const some = (count: number) => Array.from({ length: count }, (_, n) => new Daemon(world, `web${n}.acme.org`));

  it('are told when their turn comes, one after the other, and leave nothing behind but that they were refused', async () => {
    const { secret: token } = await made({ uses: 100, perMinute: 6 });
    const daemons = some(4);
    expect((await daemons[0]!.knock({ token })).body).toBe('2');
    const before = new Map(world.table.rows);

    const answers = [];
    for (const daemon of daemons.slice(1)) answers.push(await daemon.knock({ token }));

    expect(answers.map(({ status }) => status)).toEqual([429, 429, 429]);
    expect(answers[0]).toMatchObject({
      body: { type: 'urn:muster:problem:onboarding-rate', detail: expect.stringContaining('6 machines a minute') },
    });
    expect(answers.map(({ headers }) => headers['retry-after'])).toEqual(['20', '30', '40']);
    // The first has used up its nonce before its share was known to be full.
    const left = [...world.table.rows.keys()].filter((name) => !before.has(name));
    expect(left.map((name) => name.split('#')[0])).toEqual(['nonce', 'onboarding-refusals']);
  });

  it('all come in, each at a turn', async () => {
    const { secret: token } = await made({ uses: 20, perMinute: 60 });
    const waiting = new Map(some(20).map((daemon) => [daemon, 0]));
    let tries = 0;
    for (let second = 0; waiting.size > 0 && second < 60; second++) {
      for (const [daemon, at] of waiting) {
        if (at > second) continue;
        tries += 1;
        const { status, body, headers } = await daemon.knock({ token });
        if (status === 200 && body === '2') waiting.delete(daemon);
        else waiting.set(daemon, second + Number(headers['retry-after']));
      }
      world.sleep(1_000);
    }
    expect(waiting.size).toBe(0);
    expect(tries).toBeLessThan(80);
  });

  it('are so many a minute as its maker says, and as a deployment takes if nobody says so', async () => {
    expect((await made({ uses: 5 })).token.perMinute).toBe(usualPerMinute);
    expect((await made({ uses: 5, perMinute: 7 })).token.perMinute).toBe(7);
    expect((await world.call('GET', '/api/v1/onboarding-tokens')).body).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ perMinute: 7 })]),
    });
    expect((await world.call('POST', '/api/v1/onboarding-tokens', { perMinute: perMinuteMax + 1 })).status).toBe(422);
  });
});

it('a share of an earlier version, without a pace, begins with a full one', () => {
  const { perMinute: _later, ...token } = aToken(640, usualPerMinute);
  const earlier = { uses: 10, used: 3 };
  expect(useShare(token, earlier, use, noon as EpochMs)).toMatchObject({ does: 'write', next: { used: 4, pace: { at: noon } } });
});
