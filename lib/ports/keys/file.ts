import { closeSync, fstatSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { MusterError } from '../../core/errors.ts';
import type { EpochMs } from '../../core/time.ts';
import { grownRing, parseKeyRing, printKeyRing, ringOfOne, rotatedRing } from './key-ring.ts';
import type { Keys } from './keys.ts';
import { ringKeys } from './ring-keys.ts';

/** The bits of a mode that give others any access to a file. */
const modeOfOthers = 0o077;

/**
 * The file of the keys. `keepsAllSince` is set, to the present time, where no key is ever retired; a first key then
 * records it as the time it was made.
 */
export type FileKeysOptions = {
  readonly file: string;
  readonly random: (bytes: number) => Uint8Array;
  readonly keepsAllSince?: EpochMs;
};

/**
 * Keys in a file of the state folder that only its owner may read; made with one key of 32 random bytes when there is
 * none. Read once, since only one process has the state folder; a rotation is on the disk before it counts. Throws a
 * MusterError: `keys.exposed` if others may read the file, `keys.unreadable` if it has no keys.
 */
export function fileKeys({ file, random, keepsAllSince }: FileKeysOptions): Keys {
  const ring = parseKeyRing(readOwn(file) ?? write(file, printKeyRing(ringOfOne(random(32), keepsAllSince))), file);
  const rotate = keepsAllSince === undefined ? rotatedRing : grownRing;
  return ringKeys(ring, (rotated) => void write(file, printKeyRing(rotated)), rotate);
}

/** The text of a file that only its owner may read; undefined when there is none. */
function readOwn(file: string): string | undefined {
  const handle = openIfThere(file);
  if (handle === undefined) return undefined;
  try {
    const { mode } = fstatSync(handle);
    // Windows has no such modes: there the folder of the user protects the file.
    if (process.platform !== 'win32' && (mode & modeOfOthers) !== 0)
      throw new MusterError(
        'keys.exposed',
        `others may read the keys in ${file}: chmod 600 it, and replace the keys if others could have read them`,
        'never',
      );
    return readFileSync(handle, 'utf8');
  } finally {
    closeSync(handle);
  }
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new MusterError('keys.unreadable', `the keys in ${file} cannot be read: ${String(error)}`, 'never', { cause: error });
  }
}

/** Writes the file whole or not at all, and to the disk: losing a key makes every token worthless. */
function write(file: string, text: string): string {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${file}.new`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true });
  renameSync(draft, file);
  flushFolder(folder);
  return text;
}

/**
 * The file's name is part of its folder, which must reach the disk as well. Windows offers no way to flush a folder,
 * and does not need it.
 */
function flushFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
