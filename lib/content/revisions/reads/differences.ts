import { inOrder } from '../../../core/json.ts';
import { type ContentEntry, differingFields } from '../../../uyuni/content/document.ts';
import { type PackedManifest, type ReadBlob, unpackedManifest, unpackedPart } from '../../../uyuni/content/packed.ts';
import type { ContentDiff } from '../routes.ts';

type Difference = ContentDiff['differences'][number];
type Entries = ReadonlyMap<string, ContentEntry>;

/**
 * What the second of two manifests has otherwise than the first, in the order of kinds and keys. Only parts that the
 * two do not have alike are read. Throws what reading throws, and Damaged.
 */
export async function differencesBetween(readBlob: ReadBlob, from: readonly string[], to: readonly string[]): Promise<Difference[]> {
  const [before, after] = [await unpackedManifest(from, readBlob), await unpackedManifest(to, readBlob)];
  const [was, is] = [await entriesBeyond(before, after, readBlob), await entriesBeyond(after, before, readBlob)];
  const names = [...new Set([...was.keys(), ...is.keys()])].sort(inOrder);
  return names.flatMap((name): Difference[] => {
    const [a, b] = [was.get(name), is.get(name)];
    if (!a) return b ? [{ kind: b.kind, key: b.key, is: 'added', fields: [] }] : [];
    const { kind, key } = a;
    if (!b) return [{ kind, key, is: 'removed', fields: [] }];
    const fields = differingFields(a.document, b.document);
    return fields.length === 0 ? [] : [{ kind, key, is: 'changed', fields }];
  });
}

/** The entries of parts that another manifest does not have, by kind and key. */
async function entriesBeyond({ parts }: PackedManifest, other: PackedManifest, readBlob: ReadBlob): Promise<Entries> {
  const known = new Set(other.parts.map(({ hash }) => hash));
  const entries = new Map<string, ContentEntry>();
  for (const part of parts) {
    if (known.has(part.hash)) continue;
    for (const entry of await unpackedPart(part, readBlob)) entries.set(`${entry.kind}\n${entry.key}`, entry);
  }
  return entries;
}
