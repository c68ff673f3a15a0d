import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { Unusable } from '../../lib/machine/command-line.ts';
import { type BuiltIn, builtInAsset } from '../../programs/agent/built-in.ts';
import type { Packed } from './programs.ts';
import { lockedRuntime, type Platform, type Runtime } from './runtime.ts';

const root = join(import.meta.dirname, '../..');
/**
 * The text that the injector looks for in a copy of node, to mark it as one that carries a program
 * (https://nodejs.org/api/single-executable-applications.html).
 */
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';

/** The names of architectures in packages of Debian, by those in node. */
const architectures: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * The architecture of this machine, as packages of Debian name it. Throws {@link Unusable} on any system but Linux,
 * where single executables are not built.
 */
export function architectureOf({ platform, arch }: Platform): string {
  if (platform !== 'linux') throw new Unusable(`a single executable is built on Linux, for Linux: this is ${platform}`);
  const name = architectures[arch];
  if (name === undefined)
    throw new Unusable(`a single executable is built for ${Object.keys(architectures).join(' and ')}: this is ${arch}`);
  return name;
}

/**
 * Writes a program as one executable for this machine: a copy of the locked node, with the program in it as one
 * CommonJS file, already compiled, and the built-in defaults. Replaces `output` at once. Throws the output of a tool
 * that fails, and {@link Unusable} where the installed node is not the locked one.
 */
export function oneFile({ name, entry }: Pick<Packed, 'name' | 'entry'>, { builtIn, output }: { builtIn: BuiltIn; output: string }): void {
  const runtime = lockedRuntime(process, join(root, 'node_modules'));
  const work = mkdtempSync(join(tmpdir(), `${name}-`));
  const part = `${output}.part`;
  try {
    const blob = blobOf(runtime, work, { main: bundled(runtime, work, entry), builtIn });
    copyFileSync(runtime.path, part);
    chmodSync(part, 0o755);
    strip(part);
    // Its warnings (names of notes that it does not know) are shown when it fails.
    run(process.execPath, [join(root, 'node_modules/postject/dist/cli.js'), part, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', fuse]);
    renameSync(part, output);
  } finally {
    rmSync(part, { force: true });
    rmSync(work, { recursive: true });
  }
}

function bundled({ version }: Runtime, work: string, entry: string): string {
  const outfile = join(work, 'program.cjs');
  buildSync({
    entryPoints: [join(root, entry)],
    outfile,
    bundle: true,
    minify: true,
    format: 'cjs',
    platform: 'node',
    target: `node${version}`,
    mainFields: ['module', 'main'],
    // A single executable has no file of its own.
    logOverride: { 'empty-import-meta': 'error' },
    logLevel: 'error',
  });
  return outfile;
}

function blobOf({ path }: Runtime, work: string, { main, builtIn }: { main: string; builtIn: BuiltIn }): string {
  const [blob, asset, config] = ['program.blob', builtInAsset, 'sea.json'].map((file) => join(work, file)) as [string, string, string];
  writeFileSync(asset, JSON.stringify(builtIn));
  const settings = {
    main,
    output: blob,
    disableExperimentalSEAWarning: true,
    // The program is compiled now: its start takes a sixth of the time.
    useCodeCache: true,
    // It trusts the certificate authorities of the host, among which an operator puts that of the site.
    execArgv: ['--use-system-ca'],
    // NODE_OPTIONS are for the node of a host, and this is not it.
    execArgvExtension: 'none',
    assets: { [builtInAsset]: asset },
  };
  writeFileSync(config, JSON.stringify(settings));
  // Compiled code fits the very node that compiled it.
  run(path, ['--experimental-sea-config', config]);
  return blob;
}

/** Removes the symbols, an unused seventh of the file; where this machine cannot, they stay. */
function strip(file: string): void {
  try {
    run('strip', [file]);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

/** Runs a tool, silently unless it fails. */
const run = (command: string, args: readonly string[]): Buffer => execFileSync(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
