import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { readOwnFile, wantOwnFile, wantOwnFolder, wantOwnPlace } from './own.ts';

/** A program's own folder: small files that are whole or absent, and that no other user can read. */
export type Folder = {
  readonly path: string;
  /** The text of a file; undefined when there is none. */
  read(name: string): string | undefined;
  /** Replaces a file at once: after a power cut it holds either the old text or the new. */
  write(name: string, text: string): void;
  remove(name: string): void;
};

/**
 * Names a folder; it is made, with mode 0700, when first written to or held. Its verbs throw errors of the file system,
 * and NotOurs if the folder or a file in it is not ours alone.
 */
export const folderAt = (path: string): Folder => ({
  path,
  read: (name) => {
    wantOwnFolder(path);
    return readOwnFile(join(path, name));
  },
  write: (name, text) => {
    make(path);
    replaceFile(path, name, text, 0o600);
  },
  remove: (name) => {
    wantOwnFolder(path);
    rmSync(join(path, name), { force: true });
  },
});

/** The folder is judged twice: its parents before anything is made there, and itself once it exists. */
function make(path: string): void {
  wantOwnPlace(path);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  wantOwnFolder(path);
}

/**
 * Replaces a file in an existing folder, at once: after a power cut it holds either the old text or the new. Throws
 * errors of the file system.
 */
export function replaceFile(path: string, name: string, text: string, mode: number): void {
  const part = join(path, `${name}.part`);
  rmSync(part, { force: true });
  synced(openSync(part, 'wx', mode), (file) => writeSync(file, text));
  renameSync(part, join(path, name));
  // The rename itself survives a power cut only once the folder has been written out.
  synced(openSync(path, 'r'), () => {});
}

function synced(file: number, use: (file: number) => void): void {
  try {
    use(file);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Locks a folder for this process, until the returned function is called or the process ends in any way. An exclusive
 * lock on a database file is the only lock that Node offers and the kernel releases. Gives undefined when another
 * process has the lock.
 */
export function holdFolder({ path }: Folder): (() => void) | undefined {
  make(path);
  const lock = join(path, 'lock');
  makeOwnFile(lock);
  const held = new DatabaseSync(lock);
  try {
    held.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
  } catch (error) {
    held.close();
    if ((error as { errcode?: number }).errcode === 5) return undefined;
    throw error;
  }
  return () => held.close();
}

/**
 * Makes a file of mode 0600 where there is none, and sets that mode on one of an older version: SQLite would use the
 * umask's. An existing file is not opened, because closing it would release a lock that this process has on it
 * (https://www.sqlite.org/howtocorrupt.html, 2.2).
 */
function makeOwnFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    wantOwnFile(file);
    chmodSync(file, 0o600);
  }
}
