import { describe, expect, it } from 'vitest';
import { linesOf, moved, shareOf, starred, toggled } from '../../ui/onboarding/picking/picks.ts';

const order = ['a', 'b', 'c'].map((fp) => ({ fp }));
const set = (...fps: string[]) => new Set(fps);

describe('the keys of a list', () => {
  it('begin at the first, and stop at both ends', () => {
    expect(moved(order, undefined, 1)).toEqual({ fp: 'a', index: 0 });
    expect(moved(order, undefined, -1)).toEqual({ fp: 'a', index: 0 });
    expect(moved(order, { fp: 'b', index: 1 }, 1)).toEqual({ fp: 'c', index: 2 });
    expect(moved(order, { fp: 'c', index: 2 }, 1)).toEqual({ fp: 'c', index: 2 });
    expect(moved(order, { fp: 'a', index: 0 }, -1)).toEqual({ fp: 'a', index: 0 });
    expect(moved([], { fp: 'a', index: 0 }, 1)).toBeUndefined();
  });

  it('go on from the place of what is gone: down to what came up there, up to what stood before it', () => {
    expect(moved(order, { fp: 'gone', index: 1 }, 1)).toEqual({ fp: 'b', index: 1 });
    expect(moved(order, { fp: 'gone', index: 1 }, -1)).toEqual({ fp: 'a', index: 0 });
    expect(moved(order, { fp: 'gone', index: 9 }, 1)).toEqual({ fp: 'c', index: 2 });
  });

  it('follow what they are at when others come before it', () => {
    expect(moved([{ fp: 'new' }, ...order], { fp: 'a', index: 0 }, 1)).toEqual({ fp: 'b', index: 2 });
  });
});

describe('picking', () => {
  it('adds all of some when one was missing, and takes them away when none was', () => {
    expect(toggled(set('a'), ['a', 'b'])).toEqual(set('a', 'b'));
    expect(toggled(set('a', 'b', 'c'), ['a', 'b'])).toEqual(set('c'));
  });

  it('by the star is first the group, then all that is shown, then none of it', () => {
    const shown = ['a', 'b', 'c'];
    const once = starred(set(), ['a', 'b'], shown);
    const twice = starred(once, ['a', 'b'], shown);
    expect([once, twice, starred(twice, ['a', 'b'], shown)]).toEqual([set('a', 'b'), set('a', 'b', 'c'), set()]);
    expect(starred(set(), [], shown)).toEqual(set('a', 'b', 'c'));
    expect(starred(set('hidden', 'a', 'b', 'c'), ['a', 'b'], shown)).toEqual(set('hidden'));
  });

  it('of a group is all, some or none of it', () => {
    expect([shareOf(set('a', 'b'), ['a', 'b']), shareOf(set('a'), ['a', 'b']), shareOf(set('c'), ['a']), shareOf(set(), [])]).toEqual([
      'all',
      'some',
      'none',
      'none',
    ]);
  });
});

describe('the lines of a list', () => {
  it('are a heading and what is below it, group after group', () => {
    const groups = [
      { id: 'g', items: [{ fp: 'a' }, { fp: 'b' }] },
      { id: 'h', items: [{ fp: 'c' }] },
    ];
    expect(linesOf(groups).map(({ is, id }) => `${is} ${id}`)).toEqual(['head head g', 'row a', 'row b', 'head head h', 'row c']);
  });
});
