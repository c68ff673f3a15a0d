import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ZoneMap } from '../../ui/map/slots.ts';
import { gapsIn, gapsText, type KeptMap, kept, mapAt, movesIn, statesAt } from '../../ui/overview/replay.ts';
import { told } from './events.ts';

const at = (second: number): string => told(second, 'node.lost').time;
const now = new Map([['n1', { status: 'up', because: 'a heartbeat' }]]);
const events = [
  told(10, 'node.suspected', { because: 'silent' }),
  told(20, 'node.lost', { because: 'still silent' }),
  told(30, 'node.recovered', { because: 'it is back' }),
];

describe('the hour, turned back', () => {
  it('shows a node as it was by its last event before the moment', () => {
    const statusAt = (second: number) => statesAt(at(second), events, now).get('n1')?.status;
    expect([15, 25, 35].map(statusAt)).toEqual(['suspect', 'down', 'up']);
  });

  it('shows it before its first event as that event found it', () => {
    expect(statesAt(at(5), events, new Map([['n1', { status: 'down', because: '' }]])).get('n1')?.status).toBe('up');
  });

  it('leaves nodes without events as they are', () => {
    expect(statesAt(at(5), [], now).get('n1')).toEqual({ status: 'up', because: 'a heartbeat' });
  });

  it('keeps each version of a map once, and those of one zone', () => {
    const maps = kept(kept(kept([], map(1), at(1)), map(1), at(2)), map(2), at(3));
    expect(maps.map((one) => one.at)).toEqual([at(1), at(3)]);
    expect(kept(maps, map(1, 'lab'), at(4))).toHaveLength(1);
  });
});

const map = (version: number, zone = 'emea') => ({ zone, version }) as ZoneMap;
const moved = (second: number, version: number) => told(second, 'zone.rebalanced', { data: { zone: 'emea', mapVersion: version } });
const moves = movesIn('emea', [moved(10, 4), moved(20, 7), told(25, 'zone.calm'), moved(30, 9)]);
const span = (from: number, to: number) => ({ from: Date.parse(at(from)), to: Date.parse(at(to)) });

describe('the map of a moment', () => {
  const versionAt = (second: number, maps: readonly KeptMap[]) => mapAt(at(second), maps, moves)?.version;

  it('is one that the page has had while slots were where they were then', () => {
    const maps = [
      { at: at(12), map: map(4) },
      { at: at(15), map: map(5) },
      { at: at(21), map: map(7) },
    ];
    expect([9, 11, 16, 22, 31].map((second) => versionAt(second, maps))).toEqual([undefined, 4, 5, 7, undefined]);
  });

  it('is the first that the page has had, where no slot moved between', () => {
    expect([29, 31, 35].map((second) => versionAt(second, [{ at: at(40), map: map(9) }]))).toEqual([undefined, 9, 9]);
    expect(mapAt(at(0), [{ at: at(40), map: map(9) }], [])?.version).toBe(9);
  });

  it('is not the last one before, when the page slept while slots moved', () => {
    const maps = [
      { at: at(12), map: map(4) },
      { at: at(35), map: map(9) },
    ];
    expect(versionAt(25, maps)).toBeUndefined();
  });

  it('is missing in gaps, which are told in words', () => {
    const hour = span(0, 60);
    const gaps = gapsIn(hour, [{ at: at(22), map: map(7) }], moves);
    expect(gaps).toEqual([span(0, 20), span(30, 60)]);
    const clock = (ms: number): string => new Date(ms).toLocaleTimeString('en-GB');
    expect(gapsText(gaps, hour)).toBe(`before ${clock(gaps[0]!.to)}, and ${clock(gaps[1]!.from)} to ${clock(gaps[1]!.to)}`);
    expect(gapsIn(hour, [{ at: at(22), map: map(7) }], [])).toEqual([]);
  });

  it('is never one with other owners, and gaps are just the moments without one', () => {
    const history = fc
      .array(fc.record({ second: fc.integer({ min: 1, max: 59 }), steps: fc.integer({ min: 1, max: 3 }) }), { maxLength: 8 })
      .map((some) => {
        const seconds = [...new Set(some.map(({ second }) => second))].sort((a, b) => a - b);
        return seconds.map((second, n) => ({ at: at(second), version: (n + 1) * 10 }));
      });
    const seen = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 5 });
    fc.assert(
      fc.property(history, seen, fc.integer({ min: 0, max: 59 }), (past, times, second) => {
        const versionOf = (time: string): number => past.findLast((one) => one.at <= time)?.version ?? 1;
        const maps = times.sort((a, b) => a - b).map((time) => ({ at: at(time), map: map(versionOf(at(time))) }));
        const found = mapAt(at(second), maps, past);
        expect(found === undefined || found.version === versionOf(at(second))).toBe(true);
        const isGap = gapsIn(span(0, 60), maps, past).some(({ from, to }) => from <= Date.parse(at(second)) && Date.parse(at(second)) < to);
        expect(isGap).toBe(found === undefined);
        expect(found === undefined).toBe(!times.some((time) => versionOf(at(time)) === versionOf(at(second))));
      }),
    );
  });
});
