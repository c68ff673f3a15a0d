import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Unusable } from '../../../lib/machine/command-line.ts';
import { orNothing } from '../../../lib/machine/os-name.ts';
import { type Target, targetOf } from './targets.ts';

const root = join(import.meta.dirname, '../../..');

/** The module of the daemon in Go. */
export const goFolder = join(root, 'programs/client/go');
/** The folder for what is built of it: one folder a target. Git ignores it. */
export const outFolder = join(root, 'dist/client');

/** The programs of the module: the daemon, and what compares it with its model. */
export type GoProgram = 'muster-client' | 'vectors';
const packages: Readonly<Record<GoProgram, string>> = { 'muster-client': '.', vectors: './cmd/vectors' };

const wanted = { major: 1, minor: 26 } as const;

type Installed = { readonly path: string; readonly says: string };

/** What a Go calls itself; empty where there is none. It is asked outside of the module, which an older one refuses. */
const versionOf = (path: string): string => orNothing(() => runGo(path, ['version'], { from: root }));

const installed = (): readonly Installed[] =>
  ['go', '/usr/local/go/bin/go'].map((path) => ({ path, says: versionOf(path) })).filter(({ says }) => says !== '');

const isUsable = ({ says }: Installed): boolean => isNewEnough(says);

/** There is no Go here that can build the daemon. */
export class NoUsableGo extends Unusable {}

/**
 * The Go to build with: that on the path, else that of an installation by hand. Throws {@link NoUsableGo} if there is
 * none or an older one than 1.26.
 */
export function findGo(): string {
  const found = installed();
  const usable = found.find(isUsable);
  if (usable) return usable.path;
  const why = found[0] ? `this is ${found[0].says}` : 'there is no Go on the path or in /usr/local/go';
  throw new NoUsableGo(`the daemon is built with Go ${wanted.major}.${wanted.minor} or newer, and ${why}: https://go.dev/doc/install`);
}

/** Whether a `go version` names a Go that can build the daemon. */
export function isNewEnough(says: string): boolean {
  const [, major, minor] = / go(\d+)\.(\d+)/.exec(says)?.map(Number) ?? [];
  return major !== undefined && minor !== undefined && (major > wanted.major || (major === wanted.major && minor >= wanted.minor));
}

/**
 * The environment of a run of Go: no C, no other version of Go, nothing from the network, and no settings of this user.
 */
const environment = (target?: Target): NodeJS.ProcessEnv => ({
  ...process.env,
  CGO_ENABLED: '0',
  GOTOOLCHAIN: 'local',
  GOPROXY: 'off',
  GOFLAGS: '',
  GOENV: 'off',
  GOWORK: 'off',
  ...target?.env,
});

/** Runs a tool of Go in the module, or in a copy of it, and gives what it prints. Throws its output when it fails. */
export const runGo = (
  file: string,
  args: readonly string[],
  { target, from = goFolder }: { target?: Target; from?: string } = {},
): string => execFileSync(file, args, { cwd: from, env: environment(target), encoding: 'utf8', stdio: 'pipe' });

/** No paths, no state of the repository, no build id, no symbols, no HTTP/2. */
const flags = ['-trimpath', '-buildvcs=false', '-tags', 'nethttpomithttp2', '-ldflags', '-s -w -buildid='] as const;

type Build = { readonly program: GoProgram; readonly target: Target; readonly out?: string; readonly from?: string };

/**
 * Builds a program for a target into a folder; gives the path of the executable. The same sources and the same Go give
 * the same bytes: no paths, no state of the repository, and no build id are in it. Without HTTP/2, which the daemon's
 * few calls do not need, it is smaller.
 */
export function buildGo(go: string, { program, target, out = join(outFolder, target.name), from = goFolder }: Build): string {
  const file = join(out, program);
  mkdirSync(out, { recursive: true });
  runGo(go, ['build', ...flags, '-o', file, packages[program]], { target, from });
  writeFileSync(join(out, `${program}.sources`), `${sourcesDigest()}\n${versionOf(go)}\n`);
  return file;
}

/**
 * The digest of everything that the daemon is built from, and of how: an executable of other sources, or with other
 * flags, is not this daemon.
 */
function sourcesDigest(): string {
  const digest = createHash('sha256').update(`${flags.join('\n')}\n`);
  for (const file of globSync('**/*.{go,mod,txt}', { cwd: goFolder }).sort())
    digest.update(`${file}\n`).update(readFileSync(join(goFolder, file)));
  return digest.digest('hex');
}

/**
 * The executable of a program that was built of these very sources, with the Go that is here (any, if none is), for
 * this machine; undefined if there is none.
 */
export function builtGo(program: GoProgram): string | undefined {
  const target = targetOf(process);
  if (!target) return undefined;
  const file = join(outFolder, target.name, program);
  if (!existsSync(file)) return undefined;
  const [digest, version] = orNothing(() => readFileSync(`${file}.sources`, 'utf8')).split('\n');
  const here = installed().find(isUsable)?.says ?? version;
  return digest === sourcesDigest() && version === here ? file : undefined;
}
