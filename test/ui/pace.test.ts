import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Pace } from '../../ui/live/pace.ts';
import { told } from './events.ts';

const start = Date.UTC(2026, 0, 1);

describe('the pace of events', () => {
  it('counts each event of the last two minutes in one bar, in whatever order they come', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 240 })), (seconds) => {
        const pace = new Pace();
        for (const at of seconds) pace.take([told(at, 'node.lost')]);
        const bars = pace.bars(start + 240_999, 60, 2);
        const wanted = Array.from(
          { length: 60 },
          (_, bar) => seconds.filter((at) => at > 120 && Math.ceil((at - 120) / 2) === bar + 1).length,
        );
        expect(bars).toEqual(wanted);
      }),
    );
  });

  it('is an average over all events, more than the page remembers', () => {
    const pace = new Pace();
    for (let at = 0; at < 5; at++) pace.take(Array.from({ length: 2_000 }, () => told(at, 'client.assigned')));
    expect(pace.rate(start + 4_500, 5)).toBe(2_000);
    expect(pace.rate(start + 9_500, 5)).toBe(0);
  });

  it('forgets what is long past', () => {
    const pace = new Pace();
    pace.take(Array.from({ length: 1_000 }, (_, at) => told(at, 'node.lost')));
    expect(pace.rate(start, 1)).toBe(0);
    expect(pace.bars(start + 999_000, 60, 2)).toEqual(new Array(60).fill(2));
  });
});
