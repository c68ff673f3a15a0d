import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../ui/build.ts';

type Bundle = Awaited<ReturnType<typeof bundle>>;
type Output = Bundle['metafile']['outputs'][string];

/** A chunk of the page: its bytes as they are sent, gzipped, and the chunks that it needs at once. */
type Chunk = { readonly name: string; readonly gz: number; readonly output: Output };

const kb = 1_024;
const root = join(import.meta.dirname, '../..');

let chunks: ReadonlyMap<string, Chunk>;
let built: Bundle;

beforeAll(async () => {
  built = await bundle();
  const outputs = Object.entries(built.metafile.outputs);
  chunks = new Map(
    outputs.map(([path, output]): [string, Chunk] => {
      const file = built.outputFiles.find((one) => one.path.endsWith(path.slice(path.lastIndexOf('/'))))!;
      return [path, { name: output.entryPoint ?? path, gz: gzipSync(file.contents).length, output }];
    }),
  );
});

/** A chunk and all that it needs at once. */
function needed(path: string, found = new Set<string>()): Set<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const { path: other, kind } of chunks.get(path)!.output.imports) if (kind === 'import-statement') needed(other, found);
  return found;
}

const sizeOf = (paths: Iterable<string>): number => [...paths].reduce((sum, path) => sum + chunks.get(path)!.gz, 0);
const entry = (point: string): string => [...chunks].find(([, { output }]) => output.entryPoint === point)![0];
/** The entry points that load when they are needed, but the palette: views, and what opens over them. */
const lazily = (): string[] =>
  [...chunks]
    .filter(([path, { output }]) => output.entryPoint !== undefined && path.endsWith('.js') && output.entryPoint !== 'main.tsx')
    .map(([path]) => path);

describe('the page', () => {
  it('has at most 110 KiB of JavaScript at first, and 8 KiB of styles in all, gzipped', () => {
    const first = needed(entry('main.tsx'));
    expect(sizeOf(first)).toBeLessThanOrEqual(110 * kb);
    expect(sizeOf([...chunks.keys()].filter((path) => path.endsWith('.css')))).toBeLessThanOrEqual(8 * kb);
  });

  it('has at most 15 KiB more for each view, and 35 KiB for the palette', () => {
    const first = needed(entry('main.tsx'));
    expect(lazily().length).toBeGreaterThan(2);
    for (const path of lazily()) {
      const own = [...needed(path)].filter((one) => !first.has(one));
      const most = chunks.get(path)!.name.startsWith('palette/') ? 35 : 15;
      expect(sizeOf(own) / kb, chunks.get(path)!.name).toBeLessThanOrEqual(most);
    }
  });

  it('holds neither zod nor anything of Node', () => {
    const inputs = Object.keys(built.metafile.inputs);
    expect(inputs.filter((path) => /node_modules\/zod\//.test(path))).toEqual([]);
    expect(built.outputFiles.filter(({ text }) => /from ?["']node:/.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it('sends no form by itself: its policy lets forms go nowhere else, and none of them says where it goes', () => {
    const forms = globSync('ui/**/*.tsx', { cwd: root }).flatMap(
      (path) => readFileSync(join(root, path), 'utf8').match(/<form\b.*|formAction=.*/g) ?? [],
    );
    expect(forms.length).toBeGreaterThan(5);
    for (const form of forms) expect(form).toMatch(/^<form(?: (?:className="[\w -]+"|on(?:Submit|Change)=\{[^}]*\}))+>$/);
  });

  it('loads nothing from elsewhere', () => {
    for (const { path, text } of built.outputFiles) expect(text.match(/(?:url\(|src=|fetch\()["'`]?https?:\/\//g) ?? [], path).toEqual([]);
  });
});
