import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { inFieldOrder, inOrder, jsonIn } from '../../../../lib/core/json.ts';
import { Unusable } from '../../../../lib/machine/command-line.ts';
import { replaceFile } from '../../../../lib/machine/folder.ts';
import { readGivenFile } from '../../../../lib/machine/own.ts';
import { type ContentDocument, ContentEntry, hashOfEntry, inNormalForm } from '../../../../lib/uyuni/content/document.ts';
import { ContentTree } from '../../../../lib/uyuni/content/tree.ts';

/** Common content: of each kind that was looked at, the documents by their keys. */
export type Content = ReadonlyMap<string, ReadonlyMap<string, ContentDocument>>;

const manifestFile = 'manifest.json';
/** What a folder holds: of each kind the hashes of its documents by their keys, and the root of the tree of all. */
const Manifest = z.strictObject({
  format: z.literal(1, { error: 'a folder of format 1' }),
  root: z.string(),
  kinds: z.record(z.string(), z.record(z.string(), z.string())),
});
type Manifest = z.infer<typeof Manifest>;

/** Every entry of some content, in order. */
export const entriesOf = (content: Content): ContentEntry[] =>
  [...content].flatMap(([kind, documents]) =>
    [...documents].map(([key, document]) => ({ kind, key, document })).sort((a, b) => inOrder(a.key, b.key)),
  );

/** The tree of hashes of some content. */
export const treeOf = (content: Content): ContentTree =>
  new ContentTree(entriesOf(content).map((entry) => ({ kind: entry.kind, key: entry.key, hash: hashOfEntry(entry) })));

const manifestOf = (content: Content): Manifest => ({
  format: 1,
  root: treeOf(content).root,
  kinds: Object.fromEntries(
    [...content].map(([kind, documents]) => [
      kind,
      Object.fromEntries([...documents].map(([key, document]) => [key, hashOfEntry({ kind, key, document })])),
    ]),
  ),
});

/** How long the name of a file may be, without `.json`: with every file system, and with room for the hash. */
const nameMax = 180;

/** A key as the name of a file: every key another, and none of them a path. */
export function fileNameOf(key: string): string {
  const plain = encodeURIComponent(key.toWellFormed()).replaceAll(
    /[!'()*~]|^\./g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const name = plain.length <= nameMax ? plain : `${plain.slice(0, 100)}-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
  return `${name}.json`;
}

const asText = (value: unknown): string => `${JSON.stringify(inFieldOrder(value), undefined, 2)}\n`;

/** Makes the folder of an export, for its owner alone. Throws errors of the file system. */
export const makeFolder = (path: string): void => void mkdirSync(path, { recursive: true, mode: 0o700 });

/**
 * Writes content into a folder: a file for each document, readable by its owner alone, since keys are among them. What
 * the folder had of these kinds and is no longer there is removed; everything else in it stays. The manifest comes
 * last. Throws errors of the file system.
 */
export function writeContent(path: string, content: Content): void {
  makeFolder(path);
  rmSync(join(path, manifestFile), { force: true });
  for (const [kind, documents] of content) {
    const folder = join(path, kind);
    makeFolder(folder);
    const names = new Set([...documents.keys()].map(fileNameOf));
    for (const name of jsonFilesIn(folder)) if (!names.has(name)) rmSync(join(folder, name));
    for (const [key, document] of documents) writeUnlessSame(join(folder, fileNameOf(key)), asText({ kind, key, document }));
  }
  replaceFile(path, manifestFile, asText(manifestOf(content)), 0o600);
}

/** Without a manifest a folder is no export, so a file may be half written for as long as there is none. */
function writeUnlessSame(file: string, text: string): void {
  if (existsSync(file) && readFileSync(file, 'utf8') === text) return;
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
}

const jsonFilesIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.json'));

/**
 * The content in a folder. Throws {@link Unusable} for a folder that is no whole export, or whose documents are not
 * those of its manifest, unless they were edited on purpose.
 */
export function readContent(path: string, { edited = false }: { readonly edited?: boolean } = {}): Content {
  const file = join(path, manifestFile);
  if (!existsSync(file)) throw new Unusable(`${path} has no ${manifestFile}: it is no export, or one that was not finished`);
  const manifest = Manifest.safeParse(jsonIn(readGivenFile(file)));
  if (!manifest.success) throw new Unusable(`${file} is no manifest: ${manifest.error.issues[0]?.message ?? 'not valid'}`);
  const kinds = Object.keys(manifest.data.kinds).sort();
  const content = new Map(kinds.map((kind) => [kind, documentsIn(path, kind)] as const));
  if (!edited) wantWhole(path, manifest.data, content);
  return content;
}

function documentsIn(path: string, kind: string): ReadonlyMap<string, ContentDocument> {
  const folder = join(path, kind);
  const documents = new Map<string, ContentDocument>();
  for (const name of existsSync(folder) ? jsonFilesIn(folder).sort() : []) {
    const file = join(folder, name);
    const entry = ContentEntry.safeParse(jsonIn(readGivenFile(file)));
    if (!entry.success || entry.data.kind !== kind) throw new Unusable(`${file} is no document of the kind ${kind}`);
    if (documents.has(entry.data.key)) throw new Unusable(`${file} has the key of another file: ${entry.data.key}`);
    documents.set(entry.data.key, inNormalForm(entry.data.document));
  }
  return documents;
}

function wantWhole(path: string, manifest: Manifest, content: Content): void {
  const has = manifestOf(content);
  for (const [kind, hashes] of Object.entries(manifest.kinds)) {
    const found = has.kinds[kind] ?? {};
    const key = [...Object.keys(hashes), ...Object.keys(found)].find((one) => hashes[one] !== found[one]);
    if (key !== undefined)
      throw new Unusable(`${path} is not as it was exported: ${kind} ${key} is another, or is gone or new (--edited takes it as it is)`);
  }
}
