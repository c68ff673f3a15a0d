import { describe, expect, it } from 'vitest';
import { decideSweep, type SweepRow } from '../../../lib/sweep/lateness.ts';
import { at } from '../../support/builders.ts';

const begins = { id: 's', periodMs: 5_000, intervalMs: 10_000 };
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
    expect(woken).toEqual({ sweptAt: at(16), graceUntil: at(54), late: true });

    let row = woken;
    for (let seconds = 21; seconds < 54; seconds += 5) row = rowAfter(row, seconds);
    expect(row).toEqual({ sweptAt: at(51), graceUntil: at(54) });
    expect(rowAfter(row, 56)).toEqual({ sweptAt: at(56) });
  });

  it('late every time is slow, not asleep: the first grace is the last until it has been on time', () => {
    let row = rowAfter({ sweptAt: at(0) }, 16);
    for (let seconds = 32; seconds <= 96; seconds += 16) row = rowAfter(row, seconds);
    expect(row).toEqual({ sweptAt: at(96), late: true });

    row = rowAfter(rowAfter(row, 101), 131);
    expect(row).toEqual({ sweptAt: at(131), graceUntil: at(169), late: true });
  });
});
