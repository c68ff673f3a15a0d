import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** A program's own folder: small files that are whole or absent, readable by nobody else. */
export type Folder = {
  readonly path: string;
  /** The text of a file; undefined when there is none. */
  read(name: string): string | undefined;
  /** Replaces a file at once: after a power cut it holds either the old text or the new. */
  write(name: string, text: string): void;
  remove(name: string): void;
};

/** Names a folder; it is made, with mode 0700, when first written to or held. Its verbs throw what the file system throws. */
export const folderAt = (path: string): Folder => ({
  path,
  read: (name) => readOrNothing(join(path, name)),
  write: (name, text) => {
    make(path);
    replaceFile(path, name, text, 0o600);
  },
  remove: (name) => rmSync(join(path, name), { force: true }),
});

const make = (path: string) => mkdirSync(path, { recursive: true, mode: 0o700 });

function readOrNothing(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Replaces a file in a folder that is there, at once: after a power cut it holds either the old text or the new. Throws what the file system throws. */
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
 * Keeps a folder for this process alone, until it gives it back or ends, however it ends: an exclusive lock on a database file is
 * the one lock that Node offers and the kernel releases. Gives undefined when another process has it.
 */
export function holdFolder({ path }: Folder): (() => void) | undefined {
  make(path);
  const held = new DatabaseSync(join(path, 'lock'));
  try {
    held.exec('PRAGMA busy_timeout = 0; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT');
  } catch (error) {
    held.close();
    if ((error as { errcode?: number }).errcode === 5) return undefined;
    throw error;
  }
  return () => held.close();
}
