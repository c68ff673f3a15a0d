import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  difference,
  entriesOf,
  entriesPerPage,
  firstsOf,
  pageFor,
  pagesOf,
  placeOnPage,
} from '../../../../lib/clients/systems/rows/list.ts';
import { fpOf } from '../../../../tools/support/builders.ts';

const listOf = (names: readonly number[]): string[] => [...new Set(names)].map(fpOf).sort();
const names = fc.array(fc.nat(5_000), { maxLength: 300 });

describe('the list of client systems handed to a node', () => {
  it('is stored 1,000 a page, 8 bytes each, in fingerprint order', () => {
    const fps = listOf(Array.from({ length: 2_500 }, (_, n) => n));
    const pages = pagesOf(fps, 1);

    expect(pages.map(({ entries }) => entries.length)).toEqual([8_000, 8_000, 4_000]);
    expect(pages.flatMap(entriesOf)).toEqual(fps.map((fp) => fp.slice(0, 16)));
    expect(firstsOf(fps)).toEqual([fps[0], fps[1_000], fps[2_000]].map((fp) => fp!.slice(0, 16)));
    expect([pagesOf([], 1), firstsOf([])]).toEqual([[], []]);
  });

  it('finds the place of every client in it, and of no other', () => {
    const fps = listOf(Array.from({ length: 2_500 }, (_, n) => n));
    const [pages, firsts] = [pagesOf(fps, 1), firstsOf(fps)];
    const placeOf = (fp: string): number | undefined => {
      const page = pageFor(firsts, fp)!;
      const place = placeOnPage(pages[page]!, fp);
      return place === undefined ? undefined : page * entriesPerPage + place;
    };

    fps.forEach((fp, n) => {
      expect(placeOf(fp)).toBe(n);
    });
    for (let n = 2_500; n < 3_500; n++) expect(placeOf(fpOf(n))).toBeUndefined();
    expect(pageFor([], fps[0]!)).toBeUndefined();
    expect(pageFor(firsts, '0'.repeat(64))).toBe(0);
    expect(pageFor(firsts, 'f'.repeat(64))).toBe(2);
  });

  it('differs from an older one by who is new, whole, and who is gone, as an entry', () => {
    expect(difference(['aaaaaaaaaaaaaaaa', 'bbbbbbbbbbbbbbbb'], ['b'.repeat(64), 'c'.repeat(64)])).toEqual({
      added: ['c'.repeat(64)],
      gone: ['aaaaaaaaaaaaaaaa'],
    });
  });

  it('is the older one with its difference, whatever changed', () => {
    fc.assert(
      fc.property(names, names, (before, after) => {
        const [was, now] = [listOf(before), listOf(after)];
        const { added, gone } = difference(
          was.map((fp) => fp.slice(0, 16)),
          now,
        );

        const rebuilt = [...was.filter((fp) => !gone.includes(fp.slice(0, 16))), ...added].sort();
        expect(rebuilt).toEqual(now);
        expect(added.length + was.length - gone.length).toBe(now.length);
      }),
      { seed: 29 },
    );
  });
});
