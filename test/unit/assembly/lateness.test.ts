import { describe, expect, it } from 'vitest';
import { decideSweep, type SweepRow, tickBetween } from '../../../lib/deployment/rows/sweep.ts';
import { at } from '../../../tools/support/builders.ts';

const begins = { id: 's', periodMs: 5_000, intervalMs: 10_000, ranOutAt: [], admitted: 5 };
const rowAfter = (row: SweepRow | undefined, seconds: number): SweepRow | undefined => {
  const decision = decideSweep(row, begins, at(seconds));
  return decision.does === 'write' ? decision.next : row;
};

describe('a sweep that begins', () => {
  it('is noted, the first one without a grace: there was no sleep', () => {
    expect(decideSweep(undefined, begins, at(0))).toMatchObject({ does: 'write', next: { sweptAt: at(0) } });
    expect(rowAfter(undefined, 0)).not.toHaveProperty('graceUntil');
  });

  it('costs nothing when another has just begun', () => {
    expect(decideSweep({ sweptAt: at(0) }, begins, at(2)).does).toBe('nothing');
    expect(decideSweep({ sweptAt: at(0) }, begins, at(2.5)).does).toBe('write');
  });

  it.each([5, 10, 15])('%i s after the last is not late', (seconds) => {
    expect(rowAfter({ sweptAt: at(0) }, seconds)).toEqual({ sweptAt: at(seconds) });
  });

  it('more than two periods late grants one lease, once', () => {
    const woken = rowAfter({ sweptAt: at(0) }, 16);
    expect(woken).toEqual({ sweptAt: at(16), graceUntil: at(54) });

    let row = woken;
    for (let seconds = 21; seconds <= 91; seconds += 5) row = rowAfter(row, seconds);
    expect(row).toEqual({ sweptAt: at(91), graceUntil: at(54) });
  });

  it('late time and again is slow, not asleep: the next grace comes only when as long a time has passed without', () => {
    let row = rowAfter({ sweptAt: at(0) }, 16);
    for (let seconds = 32; seconds <= 80; seconds += 16) row = rowAfter(row, seconds);
    expect(row).toEqual({ sweptAt: at(80), graceUntil: at(54) });

    expect(rowAfter(row, 96)).toEqual({ sweptAt: at(96), graceUntil: at(134) });
  });

  it('late by less than a heartbeat is no sleep: no heartbeat can be missing', () => {
    const quick = { ...begins, periodMs: 50 };
    expect(decideSweep({ sweptAt: at(0) }, quick, at(9))).toMatchObject({ next: { sweptAt: at(9) } });
    expect(decideSweep({ sweptAt: at(0) }, quick, at(11))).toMatchObject({ next: { sweptAt: at(11), graceUntil: at(49) } });
  });
});

describe('leases that run out at once', () => {
  const ranOut = (count: number, admitted: number, seconds = 3) => ({
    ...begins,
    admitted,
    ranOutAt: Array.from({ length: count }, () => at(seconds)),
  });

  it.each([
    [3, 5],
    [3, 7],
    [20, 50],
  ])('%i of %i grant one lease: it may be us who do not hear', (count, admitted) => {
    expect(decideSweep({ sweptAt: at(0) }, ranOut(count, admitted), at(5))).toMatchObject({
      next: { sweptAt: at(5), graceUntil: at(43) },
      because: `${count} of ${admitted} leases ran out at once, perhaps by a fault of ours: a grace of one lease`,
    });
  });

  it.each([
    [2, 2],
    [2, 5],
    [3, 8],
    [19, 50],
  ])('%i of %i do not', (count, admitted) => {
    expect(decideSweep({ sweptAt: at(0) }, ranOut(count, admitted), at(5))).toMatchObject({ next: { sweptAt: at(5) } });
    expect(decideSweep({ sweptAt: at(0) }, ranOut(count, admitted), at(5))).not.toHaveProperty('next.graceUntil');
  });

  it('count only since the last sweep, and grant once: whoever stays silent is expired after it', () => {
    expect(decideSweep({ sweptAt: at(4) }, ranOut(5, 5), at(9))).not.toHaveProperty('next.graceUntil');
    const granted = { sweptAt: at(43), graceUntil: at(43) };
    expect(decideSweep(granted, ranOut(5, 5, 45), at(48))).toMatchObject({ next: { sweptAt: at(48), graceUntil: at(43) } });
  });
});

describe('time between two sweeps', () => {
  const between = (row: SweepRow | undefined, seconds: number) => tickBetween(row, begins, at(seconds));

  it('passes as it does in a sweep, under the grace of the last one', () => {
    expect(between({ sweptAt: at(0) }, 15)).toEqual({ type: 'tick' });
    expect(between({ sweptAt: at(0), graceUntil: at(38) }, 15)).toEqual({ type: 'tick', graceUntil: at(38) });
    expect(between({ sweptAt: at(35), graceUntil: at(38) }, 38)).toEqual({ type: 'tick' });
  });

  it('is nothing to go by where the sweep is so late that it would grant a grace, or has never run', () => {
    expect(between({ sweptAt: at(0) }, 16)).toBeUndefined();
    expect(between(undefined, 0)).toBeUndefined();
  });
});
