import { hash as hashOf } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { inFieldOrder, jsonIn } from '../../../../lib/core/json.ts';
import { Unusable } from '../../../../lib/machine/command-line.ts';
import { replaceFile } from '../../../../lib/machine/folder.ts';
import { readGivenFile, wantOwnFolder, wantOwnPlace } from '../../../../lib/machine/own.ts';
import { type Content, hashedIn } from '../../../../lib/uyuni/content/content.ts';
import { type ContentDocument, ContentEntry, inNormalForm } from '../../../../lib/uyuni/content/document.ts';
import { ContentTree, type HashedEntry } from '../../../../lib/uyuni/content/tree.ts';

const manifestFile = 'manifest.json';
/** What a folder holds: of each kind the hashes of its documents by their keys, and the root of the tree of all. */
const Manifest = z.strictObject({
  format: z.literal(1, { error: 'a folder of format 1' }),
  root: z.string(),
  kinds: z.record(z.string(), z.record(z.string(), z.string())),
});
type Manifest = z.infer<typeof Manifest>;

const manifestOf = (content: Content, hashed: readonly HashedEntry[]): Manifest => ({
  format: 1,
  root: new ContentTree(hashed).root,
  kinds: Object.fromEntries(
    [...content.keys()].map((kind) => [
      kind,
      Object.fromEntries(hashed.filter((one) => one.kind === kind).map(({ key, hash }) => [key, hash])),
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
  const name = plain.length <= nameMax ? plain : `${plain.slice(0, 100)}-${hashOf('sha256', key, 'hex').slice(0, 32)}`;
  return `${name}.json`;
}

const asText = (value: unknown): string => `${JSON.stringify(inFieldOrder(value), undefined, 2)}\n`;

/** In place of a manifest while an export is written: it is no export yet, and may be written again. */
const Unfinished = z.strictObject({ format: z.literal(1), unfinished: z.literal(true) });

/**
 * Makes the folder of an export, for its owner alone; what an earlier export left there stays. Throws {@link Unusable}
 * for a folder that holds something else, {@link NotOurs} for one that others may change, and what writing throws.
 */
export function makeExportFolder(path: string): void {
  makeOwn(path);
  if (!existsSync(join(path, manifestFile)) && readdirSync(path).length > 0)
    throw new Unusable(`${path} holds something else, and no ${manifestFile}: give the export a folder of its own`);
}

/** Marks a folder as an export that is being written. Throws as {@link makeExportFolder}. */
export function beginExport(path: string): void {
  makeExportFolder(path);
  replaceFile(path, manifestFile, asText({ format: 1, unfinished: true }), 0o600);
}

function makeOwn(path: string): void {
  wantOwnPlace(path);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  wantOwnFolder(path);
}

/**
 * Writes content into a folder: a file for each document, readable by its owner alone, since keys are among them.
 * Documents of these kinds that are no longer there are removed; everything else in it stays. The manifest comes last.
 * Gives how many documents there are, and the root of their tree. Throws as {@link beginExport}.
 */
export function writeContent(path: string, content: Content): { readonly entries: number; readonly root: string } {
  beginExport(path);
  for (const [kind, documents] of content) {
    const folder = join(path, kind);
    makeOwn(folder);
    const names = new Set([...documents.keys()].map(fileNameOf));
    for (const name of readdirSync(folder)) if (unfinishedFile.test(name)) rmSync(join(folder, name));
    for (const name of jsonFilesIn(folder)) if (!names.has(name) && entryIn(join(folder, name), kind)) rmSync(join(folder, name));
    for (const [key, document] of documents) writeUnlessSame(folder, fileNameOf(key), asText({ kind, key, document }));
  }
  const hashed = hashedIn(content);
  const manifest = manifestOf(content, hashed);
  replaceFile(path, manifestFile, asText(manifest), 0o600);
  return { entries: hashed.length, root: manifest.root };
}

/** A file that an export was writing when it was killed. */
const unfinishedFile = /^\..+\.json\.\d+$/;

/** While it is unfinished a folder is no export, so a file need not survive a power cut. */
function writeUnlessSame(folder: string, name: string, text: string): void {
  const file = join(folder, name);
  if (existsSync(file) && readFileSync(file, 'utf8') === text) {
    chmodSync(file, 0o600);
    return;
  }
  const part = join(folder, `.${name}.${process.pid}`);
  writeFileSync(part, text, { mode: 0o600 });
  renameSync(part, file);
}

const jsonFilesIn = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((one) => (one.isFile() && one.name.endsWith('.json') ? [one.name] : []));

/**
 * The content in a folder. Throws {@link Unusable} for a folder that is no whole export, or whose documents are not
 * those of its manifest, unless they were edited on purpose.
 */
export function readContent(path: string, { edited = false }: { readonly edited?: boolean } = {}): Content {
  const file = join(path, manifestFile);
  if (!existsSync(file)) throw new Unusable(`${path} has no ${manifestFile}: it is no export`);
  const text = jsonIn(readGivenFile(file));
  if (Unfinished.safeParse(text).success) throw new Unusable(`the export into ${path} was not finished: export again`);
  const manifest = Manifest.safeParse(text);
  if (!manifest.success) throw new Unusable(`${file} is no manifest: ${manifest.error.issues[0]?.message ?? 'not valid'}`);
  const kinds = Object.keys(manifest.data.kinds).sort();
  const gone = kinds.find((kind) => Object.keys(manifest.data.kinds[kind] ?? {}).length > 0 && !existsSync(join(path, kind)));
  if (gone !== undefined) throw new Unusable(`${path} has no folder ${gone}, which its manifest names`);
  const content = new Map(kinds.map((kind) => [kind, documentsIn(path, kind)] as const));
  if (!edited) wantWhole(path, manifest.data, content);
  return content;
}

function documentsIn(path: string, kind: string): ReadonlyMap<string, ContentDocument> {
  const folder = join(path, kind);
  const documents = new Map<string, ContentDocument>();
  for (const name of existsSync(folder) ? jsonFilesIn(folder).sort() : []) {
    const file = join(folder, name);
    const entry = entryIn(file, kind);
    if (!entry) throw new Unusable(`${file} is no document of the kind ${kind}`);
    if (documents.has(entry.key)) throw new Unusable(`${file} has the key of another file: ${entry.key}`);
    documents.set(entry.key, inNormalForm(entry.document));
  }
  return documents;
}

/** The document in a file; undefined for a file that is no document of that kind. */
function entryIn(file: string, kind: string): ContentEntry | undefined {
  const entry = ContentEntry.safeParse(jsonIn(readGivenFile(file)));
  return entry.success && entry.data.kind === kind ? entry.data : undefined;
}

function wantWhole(path: string, { kinds }: Manifest, content: Content): void {
  const found = new Map<string, string>(hashedIn(content).map(({ kind, key, hash }) => [`${kind} ${key}`, hash]));
  const named = Object.entries(kinds).flatMap(([kind, hashes]) =>
    Object.entries(hashes).map(([key, hash]) => [`${kind} ${key}`, hash] as const),
  );
  const wanted = new Map<string, string>(named);
  const name = [...wanted.keys(), ...found.keys()].find((one) => wanted.get(one) !== found.get(one));
  if (name !== undefined)
    throw new Unusable(`${path} is not as it was exported: ${name} is another, or is gone or new (--edited takes it as it is)`);
}
