import { describe, expect, it } from 'vitest';
import type { ZoneMap } from '../../ui/map/slots.ts';
import { kept, mapAt, statesAt } from '../../ui/overview/replay.ts';
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

  it('keeps each version of a map once, those of one zone, and gives the one of a moment', () => {
    const map = (version: number, zone = 'emea') => ({ zone, version }) as ZoneMap;
    const maps = kept(kept(kept([], map(1), at(1)), map(1), at(2)), map(2), at(3));
    expect(maps.map((one) => one.at)).toEqual([at(1), at(3)]);
    expect(mapAt(at(2), maps)?.map.version).toBe(1);
    expect(mapAt(at(0), maps)?.map.version).toBe(1);
    expect(mapAt(at(9), maps)?.map.version).toBe(2);
    expect(kept(maps, map(1, 'lab'), at(4))).toHaveLength(1);
  });
});
