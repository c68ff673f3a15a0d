import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beganAt, longest, mean, type Play, play, type Second } from './play.ts';

/** What a node may admit at most: what its server can do, within the ceiling of one per 500 ms. */
const bearable = ({ perS }: Second): number => Math.min(perS, 2);

/** A server of any speed from one in ten seconds to faster than the ceiling, and anything else that differs. */
const server = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  perS: fc.double({ min: 0.1, max: 4, noNaN: true }),
  jobMs: fc.integer({ min: 1_000, max: 20_000 }),
  spread: fc.double({ min: 0, max: 0.6, noNaN: true }),
  broken: fc.constantFrom(0, 0, 0.02),
  lost: fc.constantFrom(0, 0, 0.2),
  lagMs: fc.integer({ min: 500, max: 8_000 }),
});

/** As many servers as a few seconds take. */
const runs = { numRuns: 40, seed: 116 };

describe('a server whose capacity nobody knows', () => {
  it('is given four fifths of it within five minutes of the first rise', () => {
    fc.assert(
      fc.property(server, ({ perS, ...more }) => {
        const played = play({ perS: () => perS, minutes: 12, ...more });
        const began = beganAt(played);
        const reached = played.seconds.find((second) => second.minute >= began && second.rate >= 0.8 * bearable(second));
        expect(reached && reached.minute - began).toBeLessThanOrEqual(5);
      }),
      runs,
    );
  });

  it('is given about that from then on: never less than half of it for long, and never much more', () => {
    fc.assert(
      fc.property(server, ({ perS, ...more }) => {
        const played = play({ perS: () => perS, minutes: 40, ...more });
        const after = played.seconds.filter(({ minute }) => minute > beganAt(played) + 5);
        expect(longest(after, (second) => second.rate < 0.45 * bearable(second))).toBeLessThanOrEqual(360);
        // Seven minutes on the slowest, which then has a dozen too many.
        expect(longest(after, (second) => second.rate > 1.3 * bearable(second))).toBeLessThanOrEqual(420);
        expect(mean(after, (second) => second.rate / bearable(second))).toBeGreaterThan(0.75);
        // Those that wait are done within minutes.
        expect(Math.max(...played.seconds.map(({ waiting }) => waiting / perS))).toBeLessThan(360);
      }),
      runs,
    );
  });

  it('is never given more than the ceiling allows', () => {
    fc.assert(
      fc.property(server, fc.integer({ min: 100, max: 10_000 }), ({ perS, ...more }, atMostEveryMs) => {
        const { changes } = play({ perS: () => perS, minutes: 10, admission: { atMostEveryMs }, ...more });
        expect(Math.max(...changes.map(({ row }) => 1 / row.everyMs))).toBeLessThanOrEqual(1 / atMostEveryMs);
      }),
      runs,
    );
  });
});

describe('a server whose capacity changes', () => {
  const halvesAt = (minute: number, perS: number) => (now: number) => (now < minute ? perS : perS / 2);

  it('does not collapse when it halves, whether its rate was still rising or long settled', () => {
    fc.assert(
      fc.property(server, fc.constantFrom(4, 15), ({ perS, ...more }, minute) => {
        const played = play({ minutes: minute + 25, ...more, perS: halvesAt(minute, Math.max(0.2, perS)) });
        const after = played.seconds.filter((second) => second.minute > minute);
        // It is half of what is left for as long as those that wait then take: minutes, on a slow server.
        expect(longest(after, (second) => second.rate < 0.45 * bearable(second))).toBeLessThanOrEqual(540);
        expect(after.at(-1)!.waiting / after.at(-1)!.perS).toBeLessThan(180);
        const settled = after.filter((second) => second.minute > minute + 10);
        expect(mean(settled, (second) => second.rate / bearable(second))).toBeGreaterThan(0.7);
      }),
      runs,
    );
  });

  it('is given what it can do within a quarter of an hour after it has doubled', () => {
    fc.assert(
      fc.property(server, ({ perS, ...more }) => {
        const slow = Math.min(perS, 1);
        const played = play({ minutes: 45, ...more, perS: (minute) => (minute < 20 ? slow : 2 * slow) });
        const found = played.seconds.find((second) => second.minute > 20 && second.rate >= 0.8 * bearable(second));
        expect(found?.minute).toBeLessThanOrEqual(35);
      }),
      runs,
    );
  });

  it('is found again after it stood still for two minutes', () => {
    const played = play({ perS: (minute) => (minute > 15 && minute < 17 ? 0.001 : 1), minutes: 35 });
    const still = played.seconds.filter(({ minute }) => minute > 15.5 && minute < 17);
    expect(Math.min(...still.map(({ rate }) => rate))).toBeLessThanOrEqual(0.3);
    expect(
      mean(
        played.seconds.filter(({ minute }) => minute > 27),
        ({ rate }) => rate,
      ),
    ).toBeGreaterThan(0.7);
  });

  it('is not pushed over by those that wait there, where it becomes slower the more wait', () => {
    const perS: Play['perS'] = (_minute, waiting) => 1 / (1 + (waiting / 60) ** 2);
    const played = play({ perS, minutes: 40 });
    const after = played.seconds.filter(({ minute }) => minute > 10);
    expect(mean(after, ({ rate }) => rate)).toBeGreaterThan(0.6);
    expect(after.at(-1)!.waiting).toBeLessThan(60);
  });
});

describe('what says little about a capacity', () => {
  const settledAt = (given: Partial<Play>): number => {
    const { seconds } = play({ perS: () => 1, minutes: 40, ...given });
    return mean(
      seconds.filter(({ minute }) => minute > 12),
      ({ rate }) => rate,
    );
  };

  it.each([
    ['times that vary much', { spread: 0.8, jobMs: 20_000 }],
    ['one in ten that never has a job', { broken: 0.1 }],
    ['one heartbeat in three lost', { lost: 0.33 }],
    ['heartbeats a minute apart', { beatMs: 60_000 }],
    ['first jobs that take a minute', { jobMs: 60_000, admission: { readyWithinMs: 240_000 } }],
    ['a new rate that takes half a minute to arrive', { lagMs: 30_000 }],
  ] satisfies [string, Partial<Play>][])('is %s: it is found all the same', (_what, given) => {
    for (const seed of [1, 2, 3]) expect(settledAt({ ...given, seed })).toBeGreaterThan(0.7);
    for (const seed of [1, 2, 3]) expect(settledAt({ ...given, seed })).toBeLessThan(1.2);
  });

  it('are client systems that come by themselves: they do not slow those down that wait', () => {
    const { seconds, changes } = play({ perS: () => 1, minutes: 25, more: (minute) => (minute === 0 || minute === 15 ? 40 : 0) });
    const before = changes.filter(({ minute }) => minute < 3);
    expect(Math.min(...before.map(({ rate }) => rate))).toBeGreaterThan(1 / 15);
    const settled = seconds.filter(({ minute }) => minute > 5);
    expect(mean(settled, ({ rate }) => rate)).toBeGreaterThan(0.75);
    expect(longest(settled, ({ rate }) => rate < 0.45)).toBeLessThanOrEqual(60);
  });

  it('is a load that rises with the rate: above four for each processor, it is lowered as for a queue', () => {
    const { changes, seconds } = play({ perS: () => 4, minutes: 30, load1: (minute) => (minute > 12 ? 20 : 1) });
    expect(changes.find(({ minute }) => minute > 12)?.because).toBe('lowered from one per 0.5 s: its load is 5.0 for each processor');
    // By its load alone no node admits slower than is safe on any server.
    expect(Math.min(...seconds.filter(({ minute }) => minute > 12).map(({ rate }) => rate))).toBeGreaterThanOrEqual(1 / 15);
  });
});
