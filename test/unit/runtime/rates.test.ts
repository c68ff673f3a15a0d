import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refusal } from '../../../lib/api/problem.ts';
import { contract } from '../../../lib/contract.ts';
import { type Rate, take } from '../../../lib/core/rate.ts';
import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import { limitCaller, limitSource, newcomersPaths } from '../../../lib/runtime/limit-callers.ts';
import { Buckets, usualRates } from '../../../lib/runtime/rates.ts';
import { noon } from '../../../tools/support/a-row.ts';
import { aShell } from '../../../tools/support/a-shell.ts';

const rate: Rate = { perSecond: 2, burst: 3 };

/** How many of these calls, each so many ms after the one before, are let through. */
const through = (pauses: readonly number[], allowed: Rate): number => {
  const buckets = new Buckets();
  let now = noon as EpochMs;
  return pauses.filter((pause) => {
    now = plusMs(now, pause);
    return buckets.take('a', allowed, now) === 0;
  }).length;
};

describe('a bucket', () => {
  it('lets a burst through, then so many a second, and says how long to wait', () => {
    const first = take(undefined, rate, noon);
    expect(first).toEqual({ bucket: { tokens: 2, at: noon }, waitMs: 0 });

    const empty = { tokens: 0, at: noon };
    expect(take(empty, rate, noon)).toEqual({ bucket: empty, waitMs: 500 });
    expect(take(empty, rate, plusMs(noon, 400)).waitMs).toBe(100);
    expect(take(empty, rate, plusMs(noon, 500)).waitMs).toBe(0);
    expect(take(empty, rate, plusMs(noon, 3_600_000)).bucket.tokens).toBe(2);
  });

  it('never lets more through than the burst and the rate allow, however the calls come, and at least the rate of who waits', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 2_000 }), { minLength: 1, maxLength: 100 }),
        fc.nat({ max: 20 }),
        fc.nat({ max: 10 }),
        (pauses, burst, perSecond) => {
          const allowed = { perSecond: perSecond + 1, burst: burst + 1 };
          const elapsedMs = pauses.slice(1).reduce((sum, pause) => sum + pause, 0);

          expect(through(pauses, allowed)).toBeLessThanOrEqual(allowed.burst + (elapsedMs * allowed.perSecond) / 1000 + 1e-6);
          expect(
            through(
              pauses.map(() => Math.ceil(1000 / allowed.perSecond)),
              allowed,
            ),
          ).toBe(pauses.length);
        },
      ),
      { seed: 429 },
    );
  });

  it('is not filled by a clock that goes back', () => {
    expect(take({ tokens: 0, at: noon }, rate, plusMs(noon, -60_000)).waitMs).toBe(500);
  });
});

describe('buckets', () => {
  it('are each caller’s own', () => {
    const buckets = new Buckets();
    for (let n = 0; n < 3; n++) expect(buckets.take('a', rate, noon)).toBe(0);

    expect([buckets.take('a', rate, noon), buckets.take('b', rate, noon)]).toEqual([500, 0]);
  });

  it('are remembered as long as they are used, and never more than twice as many as they may be', () => {
    const buckets = new Buckets(10);
    for (let n = 0; n < 3; n++) buckets.take('a', rate, noon);
    for (let n = 0; n < 1_000; n++) {
      buckets.take(`flood ${n}`, rate, noon);
      expect(buckets.take('a', rate, noon)).toBe(500);
      expect(buckets.size).toBeLessThanOrEqual(20);
    }
  });
});

const rates = Object.fromEntries(Object.keys(usualRates).map((name) => [name, { perSecond: 1, burst: 2 }])) as typeof usualRates;
const calls = (times: number, call: () => void): (string | undefined)[] =>
  Array.from({ length: times }, () => {
    try {
      call();
      return undefined;
    } catch (error) {
      if (error instanceof Refusal) return `${error.type} ${error.headers?.['retry-after']}`;
      throw error;
    }
  });
const actor = (who: string, key?: string) => ({
  who,
  actor: { who, source: '192.0.2.1', request: 'r', ...(key !== undefined && { key }) },
});

describe('a caller that calls too often', () => {
  it('is told when to come back, and comes in again then', () => {
    const shell = aShell({ rates });
    const call = () => limitCaller(shell, actor('node:n1', 'fp1'));

    expect(calls(3, call)).toEqual([undefined, undefined, 'rate-limited 1']);
    shell.step(1_000);
    expect(calls(2, call)).toEqual([undefined, 'rate-limited 1']);
  });

  it('is counted by its key, whatever it calls itself, each kind apart', () => {
    const shell = aShell({ rates });
    for (const who of ['node:n1', 'client:c1', 'admin:alice', 'key:k1'])
      expect(
        calls(3, () => limitCaller(shell, actor(who, `key of ${who}`))),
        who,
      ).toEqual([undefined, undefined, 'rate-limited 1']);
    expect(calls(3, () => limitCaller(shell, { who: 'client:fp2' }))).toEqual([undefined, undefined, 'rate-limited 1']);
    expect(calls(1, () => limitCaller(shell, actor('admin:alicia', 'key of admin:alice')))).toEqual(['rate-limited 1']);
    expect(calls(9, () => limitCaller(shell, actor('operator')))).toEqual(Array(9).fill(undefined));
    expect(calls(3, () => limitCaller(shell, actor('operator', 'his session')))).toEqual([undefined, undefined, 'rate-limited 1']);
    expect(calls(9, () => limitCaller(shell, { who: 'anyone' }))).toEqual(Array(9).fill(undefined));
  });

  it('is counted by its address before anybody knows who it is, more strictly where machines and people call first', () => {
    const shell = aShell({ rates: { ...rates, source: { perSecond: 1, burst: 4 } } });
    const { join, systemStatus } = contract;

    expect(calls(3, () => limitSource(shell, join, '192.0.2.1'))).toEqual([undefined, undefined, 'rate-limited 1']);
    expect(calls(2, () => limitSource(shell, systemStatus, '192.0.2.1'))).toEqual([undefined, 'rate-limited 1']);
    expect(calls(9, () => limitSource(shell, join, '127.0.0.1'))).toEqual(Array(9).fill(undefined));
  });

  it('is not somebody else by another address of its network, or by its address written in another way', () => {
    const shell = aShell({ rates });
    let n = 0;
    expect(calls(3, () => limitSource(shell, contract.systemStatus, `2001:db8:0:7::${++n}`))).toEqual([
      undefined,
      undefined,
      'rate-limited 1',
    ]);
    expect(calls(2, () => limitSource(shell, contract.systemStatus, `2001:db8:0:8::${++n}`))).toEqual([undefined, undefined]);
    expect(calls(2, () => limitSource(shell, contract.systemStatus, '192.0.2.1'))).toEqual([undefined, undefined]);
    expect(calls(1, () => limitSource(shell, contract.systemStatus, '::ffff:192.0.2.1'))).toEqual(['rate-limited 1']);
  });

  it('is nobody where no rates are set', () => {
    const shell = aShell();
    expect(calls(1_000, () => limitCaller(shell, actor('node:n1'))).filter(Boolean)).toEqual([]);
    expect(calls(1_000, () => limitSource(shell, contract.join, '192.0.2.1')).filter(Boolean)).toEqual([]);
  });
});

describe('the usual rates', () => {
  it('are for routes that there are', () => {
    const paths = Object.values(contract).map(({ path }) => path);
    expect(newcomersPaths.filter((path) => !paths.includes(path))).toEqual([]);
  });

  it('let a fleet be: no second, no burst is less than what it does when all goes well', () => {
    const beatsMin = 1;
    expect(usualRates.node.perSecond).toBeGreaterThanOrEqual(10 * beatsMin);
    expect(usualRates.source.perSecond).toBeGreaterThanOrEqual(20_000 / 10);
    expect(usualRates.client.burst).toBeGreaterThanOrEqual(10);
  });
});
