import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { Unusable } from '../../../lib/machine/command-line.ts';

/** A file as it is: its bytes, read as Latin-1, its mode and its owner. */
export type FileFound = { readonly text: string; readonly mode: number; readonly uid: number; readonly gid: number };

/**
 * A machine's files below `/`, or below another folder for a test or an image. Its methods throw the errors of the file
 * system.
 */
export type Root = {
  readonly path: string;
  has(file: string): boolean;
  read(file: string): FileFound | undefined;
  /** Replaces a file atomically: a reader finds the old one or the new one, also after a power cut. */
  write(file: string, found: FileFound): void;
  remove(file: string): void;
};

/** The machine whose files are below this folder. */
export const rootAt = (path: string): Root => ({
  path,
  has: (file) => existsSync(join(path, file)),
  read: (file) => readFound(within(path, file)),
  write: (file, found) => replace(within(path, file), found),
  remove: (file) => removeSynced(join(path, file)),
});

/**
 * The path of a file, or of the file behind a link, so that the link stays. Throws {@link Unusable} when it leads out
 * of the root.
 */
function within(root: string, file: string): string {
  const path = join(root, file);
  if (!existsSync(path)) return path;
  const real = realpathSync(path);
  if (relative(realpathSync(root), real).startsWith('..')) throw new Unusable(`${path} is a link to ${real}, which is not in ${root}`);
  return real;
}

function readFound(path: string): FileFound | undefined {
  try {
    const { mode, uid, gid } = statSync(path);
    return { text: readFileSync(path, 'latin1'), mode: mode & 0o7777, uid, gid };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function replace(path: string, { text, mode, uid, gid }: FileFound): void {
  // Salt reads every file here whose name ends in .conf; the unfinished file must not be one.
  const part = join(dirname(path), `.${basename(path)}.muster-part`);
  rmSync(part, { force: true });
  const file = openSync(part, 'wx', 0o600);
  try {
    writeSync(file, Buffer.from(text, 'latin1'));
    fchownSync(file, uid, gid);
    fchmodSync(file, mode);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(part, path);
  syncFolder(dirname(path));
}

function removeSynced(path: string): void {
  if (!existsSync(path)) return;
  rmSync(path);
  syncFolder(dirname(path));
}

/** Syncs a folder: a created or removed name survives a power cut only once its folder is written out. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
