import { closeSync, existsSync, fstatSync, lstatSync, openSync, readFileSync, readlinkSync, realpathSync, type Stats } from 'node:fs';
import { dirname, isAbsolute, join, parse, sep } from 'node:path';

/**
 * A folder, file or link that others could have planted or may change. A prepared key in a state folder makes an
 * administrator, so nothing is read from such a place. Its message names the path, the reason, and the remedy.
 */
export class NotOurs extends Error {
  override readonly name = 'NotOurs';
}

/** Bits of a mode that let others than the owner write. */
const writableByOthers = 0o022;
const groupWrites = 0o020;
/** In a folder with this bit only the owner of a file may rename or remove it: /tmp. */
const sticky = 0o1000;
/** The most links that Linux follows (https://man7.org/linux/man-pages/man7/path_resolution.7.html). */
const linksMax = 40;

/**
 * The kind that a path must be: our own folder or file, or a file that an administrator of the machine may have given
 * us.
 */
type Wanted = 'own folder' | 'own file' | 'given file';

/**
 * Refuses a state folder that belongs to another user or that others may write to, and one with a path that others may
 * change. A missing folder passes. Windows has no such modes: there nothing is checked, and the profile of the user
 * protects the folder. Throws {@link NotOurs}.
 */
export const wantOwnFolder = (path: string): void => judge(path, 'own folder');

/** Refuses a place for a state folder, which need not exist yet, as {@link wantOwnFolder} does. */
export const wantOwnPlace = (path: string): void => judge(path, 'own folder', { isAbsentJudged: true });

/**
 * Refuses a file as {@link wantOwnFolder} refuses a folder, and one with a second name (hard link), by which others may
 * have it.
 */
export const wantOwnFile = (path: string): void => judge(path, 'own file');

/** The text of a file of ours; undefined when there is none. Throws {@link NotOurs} and errors of the file system. */
export const readOwnFile = (path: string): string | undefined => readJudged(path, 'own file');

/**
 * The text of a file that the operator named: a configuration, a token. It may belong to root too, and pipes are read
 * as they are. Throws {@link NotOurs} and errors of the file system, also when there is no such file.
 */
export function readGivenFile(path: string): string {
  const text = readJudged(path, 'given file');
  if (text === undefined)
    throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT', syscall: 'open' });
  return text;
}

function readJudged(path: string, wanted: Wanted): string | undefined {
  let file: number;
  try {
    // Opened first, so that the file that is judged is the file that is read.
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    // The owner explains more than the failure to open it.
    judge(path, wanted, { isAbsentJudged: true });
    throw error;
  }
  try {
    const open = fstatSync(file);
    if (wanted === 'own file' || open.isFile()) judge(path, wanted, { open });
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

type Judging = {
  /** The file that was opened under the path, which must be the one found there. */
  readonly open?: Stats;
  /** Whether the path is judged although nothing is there yet. */
  readonly isAbsentJudged?: boolean;
};

/** Judges a path from the root down. */
function judge(path: string, wanted: Wanted, { open, isAbsentJudged = false }: Judging = {}): void {
  const me = process.geteuid?.();
  if (me === undefined) return;
  const { found, faultOnWay } = resolvePath(path, me);
  if (!found && !isAbsentJudged) return;
  const fault = faultOnWay ?? (found && (faultOf(found, wanted, me) ?? faultOfOpen(path, found, open)));
  if (fault !== undefined) throw new NotOurs(fault);
}

const faultOfOpen = (path: string, { stats }: Found, open: Stats | undefined): string | undefined =>
  open && (open.ino !== stats.ino || open.dev !== stats.dev)
    ? `${path} was replaced while it was read: check who can write there`
    : undefined;

type Found = { readonly path: string; readonly stats: Stats };

function faultOf({ path, stats }: Found, wanted: Wanted, me: number): string | undefined {
  const isFolder = wanted === 'own folder';
  if (stats.isDirectory() !== isFolder) return `${path} is ${isFolder ? 'not a folder' : 'a folder'}: move it away`;
  const isOwn = stats.uid === me || (wanted === 'given file' && stats.uid === 0);
  if (!isOwn) return `${path} belongs to user ${stats.uid}, and this program runs as user ${me}: ${mendOf(path, wanted, me)}`;
  if ((stats.mode & writableByOthers) !== 0)
    return `${path} can be written to by others (mode ${modeOf(stats)}): check its content, then chmod ${isFolder ? 700 : 600} ${path}`;
  if (wanted === 'own file' && stats.nlink > 1)
    return `${path} has ${stats.nlink} names (hard links), and others may use another one: cp ${path} ${path}.own && mv ${path}.own ${path}`;
  return undefined;
}

const mendOf = (path: string, wanted: Wanted, me: number): string =>
  wanted === 'own folder'
    ? `run it as that user, name another folder, or, if everything in it is yours, chown -R ${me} ${path}`
    : `run it as that user, or, if its content is yours, chown ${me} ${path}`;

const modeOf = ({ mode }: Stats): string => (mode & 0o7777).toString(8).padStart(4, '0');

/** The file or folder at the end of a path, if any, and the first fault on the way: a part that others could change. */
type ResolvedPath = { readonly found: Found | undefined; readonly faultOnWay: string | undefined };

/** Resolves a path as the kernel does. */
function resolvePath(path: string, me: number): ResolvedPath {
  const whole = isAbsolute(path) ? path : join(process.cwd(), sep) + path;
  const top: Found = { path: parse(whole).root, stats: lstatSync(parse(whole).root) };
  const way: Way = { path, trusted: new Set([me, 0, top.stats.uid]), me, program: programFolder() };
  let found = top;
  let faultOnWay: string | undefined;
  let rest = partsOf(whole);
  for (let links = 0; rest.length > 0; ) {
    faultOnWay ??= faultAbove(found, way);
    const [name = '', ...after] = rest;
    const next = name === '..' ? dirname(found.path) : join(found.path, name);
    const stats = statsOf(next);
    if (stats === undefined) return { found: undefined, faultOnWay };
    rest = after;
    if (!stats.isSymbolicLink()) {
      found = { path: next, stats };
      continue;
    }
    faultOnWay ??= faultOfLink(next, stats, way);
    if (++links > linksMax)
      return { found: undefined, faultOnWay: `${path} leads through more than ${linksMax} links: name the place itself` };
    const target = readlinkSync(next);
    if (isAbsolute(target)) found = top;
    rest = [...partsOf(target), ...rest];
  }
  return { found, faultOnWay };
}

/**
 * The path that is resolved, the user who resolves it, and the owners trusted with the folders above: that user, root,
 * and the owner of the root folder.
 */
type Way = { readonly path: string; readonly trusted: ReadonlySet<number>; readonly me: number; readonly program: string };

/** The stats of a path; undefined if nothing is there, or if its folder may not be searched. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') return undefined;
    throw error;
  }
}

const partsOf = (path: string): string[] => path.split(sep).filter((part) => part !== '' && part !== '.');

const faultOfLink = (path: string, { uid }: Stats, { trusted }: Way): string | undefined =>
  trusted.has(uid) ? undefined : `${path} is a link of user ${uid}, who can redirect it: remove it`;

/** Why a folder on the way is refused: its owner, or others, could replace what is below it. */
function faultAbove({ path, stats }: Found, way: Way): string | undefined {
  if (holdsProgram(path, way.program)) return undefined;
  if (!way.trusted.has(stats.uid))
    return `${path} belongs to user ${stats.uid}, who could replace ${way.path} in it: name a place that is yours, or chown ${way.me} ${path}`;
  if (isOpen(stats, way.me)) return `others can write to ${path} (mode ${modeOf(stats)}) and replace ${way.path} in it: chmod go-w ${path}`;
  return undefined;
}

/**
 * Whether others can rename entries of a folder. The group of root, and the user's own group with the same number, do
 * not count as others.
 */
function isOpen({ mode, gid }: Stats, me: number): boolean {
  if ((mode & writableByOthers) === 0 || (mode & sticky) !== 0) return false;
  const isOwnGroup = gid === 0 || gid === me;
  return (mode & writableByOthers) !== groupWrites || !isOwnGroup;
}

/**
 * A user who can change a folder above the program can replace the program itself, so refusing the folder gains
 * nothing.
 */
const holdsProgram = (path: string, program: string): boolean => `${program}${sep}`.startsWith(path.endsWith(sep) ? path : `${path}${sep}`);

function programFolder(): string {
  const program = process.argv[1] ?? process.execPath;
  // An upgrade of the package removes the file of a running program.
  return dirname(existsSync(program) ? realpathSync(program) : program);
}
