import { gunzipSync, gzipSync } from 'node:zlib';
import * as z from 'zod';
import { canonicalJson, jsonIn } from '../../core/json.ts';
import { BlobName, blobBytesMax, manifestBlobsMax, nameOfBlob } from './blob.ts';
import { type Content, hashedIn } from './content.ts';
import { type ContentDocument, ContentEntry, hashOfEntry, inNormalForm } from './document.ts';
import { ContentTree } from './tree.ts';

/** A part of the tree with more bytes of documents than this is divided, so that one change sends little. */
export const partBytesMax = 128 * 1024;
/** How many bytes a part has at the most once it is unpacked: a larger one is none that this code has packed. */
const unpackedMax = 64 * 2 ** 20;

/** A part of the tree: its path, the hash of the tree there, how many entries it has, and its bytes. */
const Part = z.strictObject({
  path: z.string().regex(/^[0-9a-f]{0,64}$/),
  hash: z.string(),
  entries: z.int().positive(),
  blobs: z.array(BlobName).min(1),
});
/**
 * What a revision of common content consists of: the kinds that were looked at, the root of the tree of all entries,
 * and its parts.
 */
export const PackedManifest = z.strictObject({
  format: z.literal(1),
  kinds: z.array(z.string()),
  root: z.string(),
  entries: z.int().nonnegative(),
  parts: z.array(Part),
});
export type PackedManifest = z.infer<typeof PackedManifest>;

/** Bytes by their names. */
export type Blobs = Map<string, Uint8Array>;

/** Content as blobs: the manifest, the names of its own blobs, and the bytes that a store with `known` lacks. */
export type Packed = { readonly manifest: PackedManifest; readonly names: readonly string[]; readonly blobs: Blobs };

/**
 * Packs content. A part that another manifest has alike keeps the blobs which that one names, and is not packed again.
 * Throws a RangeError for content that is too large for a manifest.
 */
export function packed(content: Content, known?: PackedManifest): Packed {
  const tree = new ContentTree(hashedIn(content));
  const texts = new Map<string, string>();
  for (const [kind, documents] of content)
    for (const [key, document] of documents) texts.set(`${kind}\n${key}`, canonicalJson({ kind, key, document }));
  const textsUnder = (path: string): string[] => tree.under(path).map(({ kind, key }) => texts.get(`${kind}\n${key}`) ?? '');
  const before = new Map(known?.parts.map((part) => [part.hash, part]));
  const blobs: Blobs = new Map();
  const parts = pathsOf(tree, textsUnder).map((path) => {
    const [hash, entries] = [tree.hashAt(path), tree.under(path).length];
    const same = before.get(hash);
    const blobNames = same ? same.blobs : cutInto(blobs, gzipSync(`[${textsUnder(path).join(',')}]`));
    return { path, hash, entries, blobs: blobNames };
  });
  const manifest: PackedManifest = { format: 1, kinds: [...content.keys()].sort(), root: tree.root, entries: texts.size, parts };
  const names = cutInto(blobs, gzipSync(JSON.stringify(manifest)));
  if (names.length > manifestBlobsMax) throw new RangeError(`${texts.size} entries are more than a manifest can name`);
  return { manifest, names, blobs };
}

/** The paths of the parts: as few as have at most {@link partBytesMax} each, or one entry. */
function pathsOf(tree: ContentTree, textsUnder: (path: string) => readonly string[], path = ''): string[] {
  const texts = textsUnder(path);
  if (texts.length === 0) return [];
  const bytes = texts.reduce((sum, text) => sum + text.length, 0);
  if (texts.length === 1 || bytes <= partBytesMax) return [path];
  return Array.from({ length: 16 }, (_, digit) => pathsOf(tree, textsUnder, path + digit.toString(16))).flat();
}

/** Cuts bytes into blobs, and gives their names in order. */
function cutInto(blobs: Blobs, bytes: Uint8Array): string[] {
  const names: string[] = [];
  for (let at = 0; at < bytes.length; at += blobBytesMax) {
    const blob = bytes.subarray(at, at + blobBytesMax);
    const name = nameOfBlob(blob);
    blobs.set(name, blob);
    names.push(name);
  }
  return names;
}

/** Reads a blob: its bytes are those of its name. Throws {@link Damaged} for bytes that are others. */
export type ReadBlob = (name: string) => Promise<Uint8Array>;

/** What was read is not what its name or its manifest says. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

/** The manifest in these blobs. Throws {@link Damaged}, and what reading throws. */
export async function unpackedManifest(names: readonly string[], readBlob: ReadBlob): Promise<PackedManifest> {
  const manifest = PackedManifest.safeParse(jsonIn(await textIn(names, readBlob)));
  if (!manifest.success) throw new Damaged('the manifest has another form than this program knows');
  return manifest.data;
}

/** The entries of a part. Throws {@link Damaged}, also where its entries are others than the manifest says. */
export async function unpackedPart({ path, hash, blobs }: PackedManifest['parts'][number], readBlob: ReadBlob): Promise<ContentEntry[]> {
  const read = z.array(ContentEntry).safeParse(jsonIn(await textIn(blobs, readBlob)));
  if (!read.success) throw new Damaged(`part ${path || 'root'} is no list of documents`);
  const tree = new ContentTree(read.data.map((entry) => ({ kind: entry.kind, key: entry.key, hash: hashOfEntry(entry) })));
  if (tree.hashAt(path) !== hash || tree.under(path).length !== read.data.length)
    throw new Damaged(`part ${path || 'root'} has other documents`);
  return read.data;
}

/** The content of a manifest, whole and as it says. Throws {@link Damaged}, and what reading throws. */
export async function unpacked(manifest: PackedManifest, readBlob: ReadBlob): Promise<Content> {
  const content = new Map<string, Map<string, ContentDocument>>(manifest.kinds.map((kind) => [kind, new Map()]));
  for (const part of manifest.parts)
    for (const { kind, key, document } of await unpackedPart(part, readBlob)) content.get(kind)?.set(key, inNormalForm(document));
  if (new ContentTree(hashedIn(content)).root !== manifest.root) throw new Damaged('the parts are not those of one revision');
  return content;
}

async function textIn(names: readonly string[], readBlob: ReadBlob): Promise<string> {
  const bytes: Uint8Array[] = [];
  for (const name of names) {
    const blob = await readBlob(name);
    if (nameOfBlob(blob) !== name) throw new Damaged(`blob ${name} has other bytes`);
    bytes.push(blob);
  }
  try {
    return gunzipSync(Buffer.concat(bytes), { maxOutputLength: unpackedMax }).toString('utf8');
  } catch (error) {
    throw new Damaged('the bytes are not those of a part', { cause: error });
  }
}
