import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partsOf } from '../../ui/kit/pairs.ts';
import { inSteps, outcomesOf, type Progress, type Result } from '../../ui/orders/steps.ts';
import { acceptorText } from '../../ui/systems/acceptor.ts';
import { type Chain, grown, pageSize, pagesFor, placeOf, rowsOf, startOf, unread } from '../../ui/systems/chain.ts';
import { factText } from '../../ui/systems/fact.ts';
import { confirms } from '../../ui/systems/fingerprint.ts';
import { counted, labelsIn } from '../../ui/systems/labels.ts';
import { pauseAfter } from '../../ui/systems/pause.ts';
import { flies } from '../../ui/systems/use-settled.ts';

const items = (n: number): readonly number[] => Array.from({ length: n }, (_, at) => at);
const two = grown(grown(unread, 0, { items: items(100), next: 'b' }), 1, { items: items(100), next: 'c' });

describe('a list that is read page by page', () => {
  it('shows what was read and room for one page more, until it is whole', () => {
    expect(rowsOf(unread, 100_000)).toBe(pageSize);
    expect(rowsOf(two, 100_000)).toBe(300);
    expect(rowsOf(grown(two, 2, { items: items(7) }), 207)).toBe(207);
  });
  it('knows a page again by where it begins', () => {
    expect(grown(two, 1, { items: items(100), next: 'c' })).toBe(two);
  });
  it('goes on behind another item once a page ends with another', () => {
    expect(grown(two, 0, { items: items(100), next: 'b2' })).toEqual({ cursors: ['', 'b2', 'c'], sizes: [100, 100], isWhole: false });
  });
  it('ends where its last page ends, and goes on when items come behind that', () => {
    const whole = grown(two, 1, { items: items(40) });
    expect(whole).toEqual({ cursors: ['', 'b'], sizes: [100, 40], isWhole: true });
    expect(grown(whole, 1, { items: items(100), next: 'c' })).toEqual(two);
  });
  it('reads the pages around what is seen', () => {
    expect(pagesFor(unread, 0, 30)).toEqual([0]);
    expect(pagesFor(two, 0, 30)).toEqual([0, 1]);
    expect(pagesFor(two, 130, 160)).toEqual([0, 1, 2]);
    expect(pagesFor(two, 230, 260)).toEqual([1, 2]);
  });
  it('flies by when it is dragged, and not when the wheel is turned', () => {
    expect([flies(500, 507), flies(500, 400), flies(500, 5_000), flies(5_000, 0)]).toEqual([false, false, true, true]);
  });
  it('has each row on one page, whatever sizes these have', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: pageSize }), { minLength: 1 }), fc.nat(), (sizes, n) => {
        const chain: Chain = { cursors: sizes.map(String), sizes, isWhole: true };
        const index = n % rowsOf(chain, 0);
        const { page, at } = placeOf(chain, index);
        expect(startOf(chain, page) + at).toBe(index);
        expect(at).toBeLessThan(sizes[page]!);
      }),
    );
  });
});

const all = async (steps: AsyncIterable<Progress>): Promise<readonly Progress[]> => {
  const seen: Progress[] = [];
  for await (const step of steps) seen.push(step);
  return seen;
};
const pauses: number[] = [];
const pause = async (ms: number): Promise<void> => void pauses.push(ms);
const done = (fp: string): Result => ({ fp, done: true, because: 'tagged' });

describe('an order to many', () => {
  it('goes 200 at a time, and says after each call how far it is', async () => {
    const calls: number[] = [];
    const fps = items(450).map(String);
    const steps = await all(
      inSteps(
        fps,
        async (some) => {
          calls.push(some.length);
          return some.map(done);
        },
        pause,
      ),
    );
    expect(calls).toEqual([200, 200, 50]);
    expect(steps.map(({ results, of }) => [results.size, of])).toEqual([
      [200, 450],
      [400, 450],
      [450, 450],
    ]);
  });
  it('is repeated for those that were busy, after a longer pause each time', async () => {
    pauses.length = 0;
    const tries = new Map<string, number>();
    const send = async (some: readonly string[]): Promise<Result[]> =>
      some.map((fp) => {
        tries.set(fp, (tries.get(fp) ?? 0) + 1);
        const isBusy = fp === 'b' && tries.get(fp)! < 3;
        return isBusy ? { fp, done: false, busy: true, because: 'busy, try again' } : done(fp);
      });
    const steps = await all(inSteps(['a', 'b', 'c'], send, pause));
    expect([...tries]).toEqual([
      ['a', 1],
      ['b', 3],
      ['c', 1],
    ]);
    expect(pauses).toEqual([400, 800]);
    expect(outcomesOf(steps.at(-1)!.results.values())).toEqual([
      { done: true, because: 'tagged', n: 3, results: ['a', 'b', 'c'].map(done) },
    ]);
  });
  it('leaves what stays busy as that', async () => {
    const busy: Result = { fp: 'a', done: false, busy: true, because: 'busy, try again' };
    const steps = await all(inSteps(['a'], async () => [busy], pause));
    expect(steps).toHaveLength(5);
    expect([...steps.at(-1)!.results.values()]).toEqual([busy]);
  });
  it('is told by its outcomes, what was not done first, by its reasons', () => {
    const waits = (fp: string): Result => ({ fp, done: false, because: 'it waits to be accepted' });
    const banned: Result = { fp: 'd', done: false, because: 'it is banned' };
    expect(outcomesOf([done('a'), banned, waits('c'), waits('e'), done('b')])).toEqual([
      { done: false, because: 'it waits to be accepted', n: 2, results: [waits('c'), waits('e')] },
      { done: false, because: 'it is banned', n: 1, results: [banned] },
      { done: true, because: 'tagged', n: 2, results: [done('a'), done('b')] },
    ]);
  });
  it('has what was done together, whatever each has become', () => {
    const results: Result[] = [
      { fp: 'a', done: true, because: 'tags: db' },
      { fp: 'b', done: true, because: 'tags: db, prod' },
    ];
    expect(outcomesOf(results)).toEqual([{ done: true, because: undefined, n: 2, results }]);
  });
});

describe('a fingerprint', () => {
  const fp = '0123456789abcdef'.repeat(4);
  it('is four parts of eight pairs, which joined are all of it', () => {
    const fingerprint = fp.replace(/..(?!$)/g, '$&:');
    expect(partsOf(fingerprint)).toHaveLength(4);
    expect(partsOf(fingerprint)[0]).toBe('01:23:45:67:89:ab:cd:ef:');
    expect(partsOf(fingerprint).join('')).toBe(fingerprint);
  });
  it('is confirmed by its first eight digits, however they are written', () => {
    expect(confirms('01:23:45:67', fp)).toBe(true);
    expect(confirms('0123 4567', fp)).toBe(true);
    expect(confirms('0123456', fp)).toBe(false);
    expect(confirms('01234568', fp)).toBe(false);
  });
});

describe('a list that follows what happens', () => {
  it('is asked for again after some seconds, and the later the longer a search takes', () => {
    expect(pauseAfter(10)).toBe(3_000);
    expect(pauseAfter(400)).toBe(8_000);
  });
});

describe('a fact', () => {
  it('that is a size is in its largest unit, and any other as it was reported', () => {
    expect(factText('ram', '68719476736')).toBe('64 GiB');
    expect(factText('memory', '1610612736')).toBe('1.5 GiB');
    expect(factText('ram', '0')).toBe('0 bytes');
    expect(factText('ram', 'plenty')).toBe('plenty');
    expect(factText('cpu', '64')).toBe('64');
  });
});

describe('who accepted a client system', () => {
  it('is a person by name, and anything else with what it is', () => {
    expect(acceptorText('admin:joe@acme.org')).toBe('joe@acme.org');
    expect(acceptorText('token:3f9a')).toBe('the token 3f9a');
    expect(acceptorText('key:k1')).toBe('the key k1');
    expect(acceptorText('rule:all-of-emea')).toBe('the rule all-of-emea');
  });
  it('is told as it is written where its kind is unknown', () => {
    expect(acceptorText('robot:r2')).toBe('robot:r2');
    expect(acceptorText('somebody')).toBe('somebody');
  });
});

describe('tags that were typed', () => {
  it('are parted by commas and spaces, each once', () => {
    expect(labelsIn(' db, prod  db,')).toEqual(['db', 'prod']);
  });
  it('are counted over a selection', () => {
    expect(counted([['a', 'b'], ['b'], []])).toEqual([
      { label: 'b', count: 2 },
      { label: 'a', count: 1 },
    ]);
  });
});
