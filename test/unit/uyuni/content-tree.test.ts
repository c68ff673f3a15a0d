import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOfEntry } from '../../../lib/uyuni/content/document.ts';
import { ContentTree, differencesTo, type HashedEntry, leafMax } from '../../../lib/uyuni/content/tree.ts';

const entries = fc.uniqueArray(
  fc.record({ kind: fc.constantFrom('channel', 'group'), key: fc.string({ minLength: 1 }), hash: fc.constantFrom('a', 'b') }),
  { selector: ({ kind, key }) => `${kind} ${key}`, maxLength: 120 },
);
const many = (count: number): HashedEntry[] =>
  Array.from({ length: count }, (_, n) => ({ kind: 'channel', key: `channel-${n}`, hash: `h${n}` }));
const nodesOf = (tree: ContentTree) => async (path: string) => tree.at(path);

describe('the hash of an entry', () => {
  it('is the same whatever the order of its fields, and another for another kind, key or value', () => {
    const entry = { kind: 'group', key: 'web', document: { description: 'Web', place: { city: 'Oslo', room: '1' } } };
    const turned = { document: { place: { room: '1', city: 'Oslo' }, description: 'Web' }, key: 'web', kind: 'group' };
    expect(hashOfEntry(turned)).toBe(hashOfEntry(entry));
    const others = [
      { ...entry, kind: 'channel' },
      { ...entry, key: 'wep' },
      { ...entry, document: { description: 'Web' } },
    ];
    expect(new Set([entry, ...others].map(hashOfEntry)).size).toBe(4);
  });
});

describe('a tree of hashes', () => {
  it('has a root that follows from its entries, and from nothing else', () => {
    fc.assert(
      fc.property(entries, entries, (some, others) => {
        const names = (all: readonly HashedEntry[]) => JSON.stringify(all.map(({ kind, key, hash }) => [kind, key, hash]).sort());
        expect(new ContentTree(some.toReversed()).root).toBe(new ContentTree(some).root);
        expect(new ContentTree(some).root === new ContentTree(others).root).toBe(names(some) === names(others));
      }),
    );
  });

  it('finds every entry that another tree does not have alike, and no other', async () => {
    await fc.assert(
      fc.asyncProperty(entries, entries, async (here, there) => {
        const found = await differencesTo(new ContentTree(here), nodesOf(new ContentTree(there)));
        const hashes = (all: readonly HashedEntry[]) => new Map(all.map(({ kind, key, hash }) => [`${kind} ${key}`, hash]));
        const [mine, theirs] = [hashes(here), hashes(there)];
        const differing = [...new Set([...mine.keys(), ...theirs.keys()])].filter((name) => mine.get(name) !== theirs.get(name));
        expect(found.map(({ kind, key }) => `${kind} ${key}`).sort()).toEqual(differing.sort());
        for (const { kind, key, here: a, there: b } of found)
          expect([a, b]).toEqual([mine.get(`${kind} ${key}`), theirs.get(`${kind} ${key}`)]);
      }),
    );
  });

  it('asks only where two trees differ: for one entry among 50,000 on one path', async () => {
    const all = many(50_000);
    const [mine, theirs] = [new ContentTree(all), new ContentTree(all.map((one, n) => (n === 31_337 ? { ...one, hash: 'another' } : one)))];
    const asked: string[] = [];
    const found = await differencesTo(mine, async (path) => {
      asked.push(path);
      return theirs.at(path);
    });
    expect(found).toEqual([{ kind: 'channel', key: 'channel-31337', here: 'h31337', there: 'another' }]);
    expect(asked.length).toBeLessThanOrEqual(6);
    expect(asked.every((path, n) => path.length === n)).toBe(true);
    asked.length = 0;
    const once = async (path: string) => {
      asked.push(path);
      return theirs.at(path);
    };
    expect(await differencesTo(theirs, once)).toEqual([]);
    expect(asked).toEqual(['']);
  });

  it('lists few entries, and divides more', () => {
    expect(new ContentTree([]).root).toBe('');
    expect(new ContentTree(many(leafMax)).at('').is).toBe('leaf');
    const tree = new ContentTree(many(leafMax + 1));
    const node = tree.at('');
    expect(node.is).toBe('branch');
    if (node.is === 'branch') expect(node.parts.map((_, n) => tree.under(n.toString(16)).length).reduce((a, b) => a + b)).toBe(leafMax + 1);
  });
});
