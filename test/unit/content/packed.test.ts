import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { blobBytesMax } from '../../../lib/uyuni/content/blob.ts';
import { type Content, treeOf } from '../../../lib/uyuni/content/content.ts';
import { type Blobs, Damaged, packed, partBytesMax, type ReadBlob, unpacked, unpackedManifest } from '../../../lib/uyuni/content/packed.ts';

const groups = (descriptions: Record<string, string>): Content =>
  new Map([['group', new Map(Object.entries(descriptions).map(([key, description]) => [key, { description }]))]]);
const many = (count: number, size: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`group${n}`, `${n} ${noise(size, n)}`]));
/** A text that does not get much smaller. */
const noise = (size: number, seed: number): string => {
  let x = seed + 1;
  return Array.from({ length: size }, () => {
    x = (x * 48_271) % 2_147_483_647;
    return String.fromCharCode(33 + (x % 90));
  }).join('');
};
const readFrom =
  (...stores: readonly Blobs[]): ReadBlob =>
  async (name) => {
    const found = stores.map((store) => store.get(name)).find((bytes) => bytes !== undefined);
    if (!found) throw new Damaged(`no blob ${name}`);
    return found;
  };
const openedFrom = async (names: readonly string[], ...stores: readonly Blobs[]): Promise<Content> => {
  const readBlob = readFrom(...stores);
  return unpacked(await unpackedManifest(names, readBlob), readBlob);
};

describe('packed content', () => {
  it('is unpacked as it was, whatever is in it', async () => {
    const key = fc.string({ minLength: 1, maxLength: 20, unit: 'binary' });
    const contents = fc.dictionary(
      key,
      fc.dictionary(key, fc.record({ text: fc.string({ unit: 'binary' }), list: fc.array(fc.integer()) })),
      { maxKeys: 4 },
    );
    await fc.assert(
      fc.asyncProperty(contents, async (given) => {
        const content: Content = new Map(Object.entries(given).map(([kind, documents]) => [kind, new Map(Object.entries(documents))]));
        const { manifest, names, blobs } = packed(content);
        const opened = await openedFrom(names, blobs);
        expect(treeOf(opened).root).toBe(treeOf(content).root);
        expect([...opened.keys()].sort()).toEqual([...content.keys()].sort());
        expect(manifest.root).toBe(treeOf(content).root);
      }),
      { numRuns: 200 },
    );
  });

  it('has blobs that a call can take, and parts that are small, also with a document that is larger', async () => {
    const content = groups({ ...many(600, 600), large: noise(3 * partBytesMax, 9) });
    const { manifest, names, blobs } = packed(content);
    expect(Math.max(...[...blobs.values()].map(({ length }) => length))).toBeLessThanOrEqual(blobBytesMax);
    expect(manifest.parts.length).toBeGreaterThan(3);
    expect(manifest.parts.reduce((sum, { entries }) => sum + entries, 0)).toBe(601);
    expect(await openedFrom(names, blobs)).toEqual(content);
  });

  it('adds one part and a manifest for one change, and nothing for none', async () => {
    const before = many(600, 600);
    const first = packed(groups(before));
    const second = packed(groups({ ...before, group7: 'another' }), first.manifest);
    const changed = second.manifest.parts.filter(({ hash }) => !first.manifest.parts.some((part) => part.hash === hash));
    expect(changed).toHaveLength(1);
    expect(second.blobs.size).toBe(changed[0]!.blobs.length + second.names.length);
    expect(await openedFrom(second.names, first.blobs, second.blobs)).toEqual(groups({ ...before, group7: 'another' }));
    expect([...packed(groups(before), first.manifest).blobs.keys()]).toEqual(first.names);
  });

  it('is refused where a blob is damaged, missing, or of another part', async () => {
    const { manifest, names, blobs } = packed(groups(many(600, 600)));
    const [one, other] = manifest.parts.map((part) => part.blobs[0]!) as [string, string];
    const bytes = blobs.get(one)!;
    const damaged = new Map(blobs).set(one, bytes.with(20, bytes[20]! ^ 1));
    await expect(openedFrom(names, damaged)).rejects.toThrow('has other bytes');
    const missing = new Map(blobs);
    missing.delete(one);
    await expect(openedFrom(names, missing)).rejects.toThrow('no blob');
    const swapped = { ...manifest, parts: manifest.parts.map((part) => (part.blobs[0] === one ? { ...part, blobs: [other] } : part)) };
    await expect(unpacked(swapped, readFrom(blobs))).rejects.toThrow(Damaged);
    const lacking = { ...manifest, parts: manifest.parts.slice(1) };
    await expect(unpacked(lacking, readFrom(blobs))).rejects.toThrow('not those of one revision');
    const cut = packed(groups({ a: 'b' }));
    await expect(unpackedManifest([...cut.names, ...cut.names], readFrom(cut.blobs))).rejects.toThrow(Damaged);
  });
});
