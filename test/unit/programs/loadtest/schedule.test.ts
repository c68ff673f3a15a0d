import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultOfOutages, readOutage, silentMax } from '../../../../programs/loadtest/schedule.ts';

describe('a failure on the schedule', () => {
  it('is read in any order of its parts', () => {
    const outage = { atMs: 60_000, nodes: 10, forMs: 120_000 };
    expect(readOutage('at=60s,nodes=10,for=120s')).toEqual(outage);
    expect(readOutage('for=2m,at=1m,nodes=10')).toEqual(outage);
    expect(readOutage('nodes=1,at=0s,for=500ms')).toEqual({ atMs: 0, nodes: 1, forMs: 500 });
  });

  it.each([
    '',
    'at=60s',
    'at=60s,nodes=10',
    'at=60s,nodes=0,for=1s',
    'at=60s,nodes=-1,for=1s',
    'at=60,nodes=1,for=1s',
    'at=1s,nodes=1,for=0s',
  ])('is refused when it says nothing: %s', (text) => expect(readOutage(text)).toBeUndefined());

  it.each([
    'at=1s,nodes=1,for=1s,for=2s',
    'at=1s,nodes=1,fro=1s',
    'at=1s,at=1s,for=1s',
    'at=1s=2s,nodes=1,for=1s',
    'at=99h,nodes=1,for=1s',
  ])('is refused when it says something else: %s', (text) => expect(readOutage(text)).toBeUndefined());

  it('throws for no text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        readOutage(text);
      }),
    );
  });
});

describe('a schedule', () => {
  const outages = [
    { atMs: 1_000, nodes: 2, forMs: 2_000 },
    { atMs: 2_000, nodes: 3, forMs: 1_000 },
    { atMs: 3_000, nodes: 4, forMs: 1_000 },
  ];

  it('counts who is silent at once; whoever comes back just then is not', () => {
    expect([silentMax([]), silentMax(outages)]).toEqual([0, 5]);
  });

  it('cannot be kept with fewer nodes than are silent, or after the end', () => {
    expect(faultOfOutages(outages, { nodes: 5, forMs: 10_000 })).toBeUndefined();
    expect(faultOfOutages(outages, { nodes: 4, forMs: 10_000 })).toBe('5 nodes would be silent at once, and there are 4');
    expect(faultOfOutages(outages, { nodes: 5, forMs: 3_000 })).toBe('a failure at 3 s is after the end, at 3 s');
  });
});
