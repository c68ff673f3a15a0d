import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { buildSync, type Metafile } from 'esbuild';

/*
 * Writes functions.mjs: all functions of the wiring as a commit has them, in one module. `node test/previous/freeze.ts [commit]`, HEAD
 * unless told otherwise. It is the commit that is frozen, never what lies in the working tree (docs/decisions/0018).
 */

const root = join(import.meta.dirname, '../..');
const outfile = join(import.meta.dirname, 'functions.mjs');

/** The one module that both versions share: what one throws, the other must know by its class. */
const shared = { path: 'lib/core/errors.ts', from: '../../lib/core/errors.ts' };
/** What the frozen module may import besides: it holds all our own code, and no adapter. */
const mayImport = new RegExp(`^(zod|node:[\\w/]+|${shared.from.replaceAll('.', '\\.')})$`);

/** Unpacks what of a commit functions are made of into a folder, which needs no packages: the bundle leaves them outside. */
function unpack(commit: string, folder: string): void {
  const parts = ['events', 'functions', 'infra', 'lib', 'package.json'];
  const archive = execFileSync('git', ['archive', '--format=tar', commit, ...parts], { cwd: root, maxBuffer: 2 ** 30 });
  execFileSync('tar', ['-xf', '-', '-C', folder], { input: archive });
}

/** A module that exports the functions by the names the wiring of that commit gives them. */
async function entryOf(folder: string): Promise<string> {
  const { wiring } = (await import(pathToFileURL(join(folder, 'infra/wiring.ts')).href)) as { wiring: { functions: object } };
  const names = Object.keys(wiring.functions);
  return [
    ...names.map((name, n) => `import function${n} from './functions/${name}.ts';`),
    `export const functions = { ${names.map((name, n) => `${JSON.stringify(name)}: function${n}`).join(', ')} };`,
  ].join('\n');
}

/** Bundles the entry. Throws when the bundle would import what it may not, or would hold a copy of what must be shared. */
function bundle(folder: string, entry: string): string {
  const built = buildSync({
    stdin: { contents: entry, resolveDir: folder, loader: 'ts', sourcefile: 'functions.ts' },
    absWorkingDir: folder,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    // Nothing is written there; what stays outside is imported relative to it.
    outfile: join(folder, 'test/previous/functions.mjs'),
    packages: 'external',
    external: [`./${shared.path}`],
    // Names stay, for stacks.
    minifySyntax: true,
    minifyWhitespace: true,
    metafile: true,
    write: false,
    logLevel: 'error',
  });
  refuseStrangers(built.metafile);
  return built.outputFiles[0]!.text;
}

function refuseStrangers({ inputs, outputs }: Metafile): void {
  const imported = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  const strangers = imported.filter((path) => !mayImport.test(path));
  if (strangers.length > 0) throw new Error(`the functions import ${strangers.join(', ')}: freeze.ts has to be told what that is`);
  if (shared.path in inputs) throw new Error(`${shared.path} was bundled: its classes would be others than those of the ports`);
}

const commit = execFileSync('git', ['rev-parse', '--verify', `${process.argv[2] ?? 'HEAD'}^{commit}`], { cwd: root })
  .toString()
  .trim();
const folder = mkdtempSync(join(tmpdir(), 'muster-previous-'));
try {
  unpack(commit, folder);
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string };
  const code = bundle(folder, await entryOf(folder));
  writeFileSync(
    outfile,
    `// The functions of Muster ${version} as of commit ${commit}.\n// Made by test/previous/freeze.ts; never edited.\n${code}`,
  );
  console.log(`test/previous/functions.mjs: Muster ${version} as of ${commit.slice(0, 7)}, ${(code.length / 1024).toFixed(0)} KB`);
} finally {
  rmSync(folder, { recursive: true });
}
