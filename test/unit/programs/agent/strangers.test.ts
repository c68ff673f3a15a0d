import { describe, expect, it } from 'vitest';
import { type EpochMs, minuteMs, plusMs } from '../../../../lib/core/time.ts';
import { Strangers } from '../../../../programs/agent/strangers.ts';

const [a, b, c] = ['a', 'b', 'c'].map((first) => first.padEnd(64, '0')) as [string, string, string];
const list = (version: number, ...systems: string[]) => ({ version, mapVersion: 1, systems });
const now = 1_000_000 as EpochMs;
const strangersOnly = { everyone: false, now };

describe('who is seen on a node', () => {
  it('and not on its list is made to knock once, and again by another list', () => {
    const strangers = new Strangers();
    const seen = new Set([c, b, a]);

    expect(strangers.toMakeKnock(list(1, a), seen, strangersOnly)).toEqual([b, c]);
    strangers.madeToKnock([b], now);
    expect(strangers.toMakeKnock(list(1, a), seen, strangersOnly)).toEqual([c]);
    expect(strangers.toMakeKnock(list(2, a, c), seen, strangersOnly)).toEqual([b]);
  });

  it('and stays is made to knock again after a quarter of an hour', () => {
    const strangers = new Strangers();
    strangers.toMakeKnock(list(1), new Set([a]), strangersOnly);
    strangers.madeToKnock([a], now);

    const toldLater = (ms: number) => strangers.toMakeKnock(list(1), new Set([a]), { everyone: false, now: plusMs(now, ms) });
    expect([toldLater(15 * minuteMs - 1), toldLater(15 * minuteMs)]).toEqual([[], [a]]);
  });

  it('is made to knock, listed or not, by the first list of a membership', () => {
    const strangers = new Strangers();
    const everyone = { everyone: true, now };

    expect(strangers.toMakeKnock(list(1, a), new Set([b, a]), everyone)).toEqual([a, b]);
    strangers.madeToKnock([a, b], now);
    expect(strangers.toMakeKnock(list(1, a), new Set([b, a]), everyone), 'another membership with the same list').toEqual([a, b]);
  });

  it('is made to knock by the next list, listed or not, when the hook of the first one failed', () => {
    const strangers = new Strangers();
    const seen = new Set([b, a]);
    strangers.toMakeKnock(list(1, a), seen, { everyone: true, now });

    expect(strangers.toMakeKnock(list(1, a), seen, strangersOnly)).toEqual([a, b]);
    strangers.madeToKnock([a, b], now);
    expect(strangers.toMakeKnock(list(2, a), seen, strangersOnly)).toEqual([b]);
  });

  it('that had nobody when its membership began is not made to knock by a later list that it is on', () => {
    const strangers = new Strangers();
    strangers.toMakeKnock(list(1), new Set(), { everyone: true, now });

    expect(strangers.toMakeKnock(list(2, a), new Set([b, a]), strangersOnly)).toEqual([b]);
  });
});
