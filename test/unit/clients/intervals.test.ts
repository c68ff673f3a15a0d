import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lostSecondsOf, nextSeconds, renewAfterS, watchOf } from '../../../lib/clients/intervals.ts';
import { aClient, assigned, at, aZone, noon } from '../../../tools/support/builders.ts';

const moment = { now: noon, random: 0.5, covered: false };
const pooled = aClient({ standing: 'pooled' });
const waitingFor = aClient({ told: assigned(0) });

describe('when a client system should call next', () => {
  it.each([
    { who: 'onboarded and seen by its node', status: 'onboarded', with: { covered: true }, seconds: 6 * 3_600 },
    { who: 'onboarded and not seen', status: 'onboarded', with: {}, seconds: 900 },
    { who: 'deleted', status: 'deleted', with: {}, seconds: 86_400 },
    { who: 'new, just now', status: 'new', with: { client: pooled }, seconds: 5 },
    { who: 'new for 5 min', status: 'new', with: { client: pooled, now: at(300) }, seconds: 30 },
    { who: 'new for an hour', status: 'new', with: { client: pooled, now: at(3_600) }, seconds: 60 },
    { who: 'orphan, accepted just now', status: 'orphan', with: { client: aClient() }, seconds: 5 },
    { who: 'orphan, accepted 4 min ago', status: 'orphan', with: { client: aClient(), now: at(240) }, seconds: 24 },
    { who: 'orphan, told its node 100 s ago', status: 'orphan', with: { client: waitingFor, now: at(100) }, seconds: 10 },
    { who: 'orphan by its token alone', status: 'orphan', with: {}, seconds: 5 },
    { who: 'onboarded, its node lost just now', status: 'onboarded', with: { covered: true, lostS: 0 }, seconds: 5 },
    { who: 'onboarded, its node lost for 5 min', status: 'onboarded', with: { lostS: 300 }, seconds: 30 },
    { who: 'onboarded, its node lost for a day', status: 'onboarded', with: { covered: true, lostS: 86_400 }, seconds: 60 },
    {
      who: 'onboarded, told long ago, its node lost just now',
      status: 'onboarded',
      with: { client: waitingFor, now: at(7_200), lostS: 0 },
      seconds: 5,
    },
  ] as const)('$who: in $seconds s', ({ status, with: more, seconds }) => {
    expect(nextSeconds(status, { ...moment, ...more })).toBe(seconds);
  });

  it('is spread by a tenth either way, in whole seconds', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), fc.boolean(), (random, covered) => {
        const base = covered ? 21_600 : 900;
        const next = nextSeconds('onboarded', { ...moment, random, covered });

        expect(Number.isInteger(next)).toBe(true);
        expect(Math.abs(next - base)).toBeLessThanOrEqual(base / 10 + 0.5);
      }),
      { seed: 31 },
    );
    expect(nextSeconds('onboarded', { ...moment, random: 0 })).toBe(810);
    expect(nextSeconds('onboarded', { ...moment, random: 0.999_999 })).toBe(990);
  });
});

describe('a client system that waits for its turn', () => {
  const next = (turnS: number, soonestS: number | undefined, more: object = {}) =>
    nextSeconds('orphan', { ...moment, turnAt: at(turnS), ...(soonestS !== undefined && { soonestAt: at(soonestS) }), ...more });

  it('calls at its turn, or in a quarter of an hour', () => {
    expect([next(40, undefined), next(600, undefined), next(7_200, undefined)]).toEqual([40, 600, 900]);
  });

  it('calls when its turn may come by a rate that rises, though not more than once a minute', () => {
    expect([next(7_200, 480), next(7_200, 2_000), next(600, 20), next(40, 10)]).toEqual([480, 900, 60, 40]);
  });

  it('calls so from the node that it is still on, too', () => {
    const on = { ...moment, covered: true, turnAt: at(7_200), soonestAt: at(480) };
    expect([nextSeconds('onboarded', on), nextSeconds('onboarded', { ...on, soonestAt: undefined })]).toEqual([480, 7_200]);
  });
});

describe('what a client system says of a node that it has lost', () => {
  it.each([
    ['1', 1],
    ['90', 90],
    [undefined, undefined],
    ['0', undefined],
    ['-5', undefined],
    ['1e9', undefined],
    ['soon', undefined],
    ['9999999999', undefined],
  ])('is for how many seconds: %j is %j', (text, seconds) => {
    expect(lostSecondsOf(text)).toBe(seconds);
  });
});

describe('how long a token is used', () => {
  it('is an hour, or half its life for a client that its node sees', () => {
    expect([renewAfterS(false), renewAfterS(true)]).toEqual([3_600, 302_400]);
  });
});

describe('what a client system watches', () => {
  it.each([
    { beatMinMs: 10_000, every: 30 },
    { beatMinMs: 1_000, every: 3 },
    { beatMinMs: 100, every: 1 },
  ])('is its node, every three of the fastest heartbeats: $every s at $beatMinMs ms', ({ beatMinMs, every }) => {
    expect(watchOf(aZone(), 0, beatMinMs)).toBe(`node1.acme.org:4505;every=${every}`);
  });
});
