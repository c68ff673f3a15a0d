import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The end of the name of a file that is being written. A process that is killed leaves such a file behind. */
export const draftEnd = '.part';

/**
 * Writes a file that only its owner may read, and replaces any that is there: it appears whole and on the disk, or not
 * at all. Gives what `fill` gives, which writes it. Throws the errors of the file system and of `fill`.
 */
export async function writeWhole<T>(file: string, fill: (handle: FileHandle) => Promise<T>): Promise<T> {
  const draft = `${file}${draftEnd}`;
  await rm(draft, { force: true });
  const handle = await open(draft, 'wx', 0o600);
  try {
    const filled = await fill(handle);
    await handle.sync();
    await handle.close();
    await rename(draft, file);
    await flushed(dirname(file));
    return filled;
  } catch (error) {
    await handle.close();
    await rm(draft, { force: true });
    throw error;
  }
}

/** The rename itself survives a power cut only once the folder is on the disk. Windows has no way to ask for that. */
async function flushed(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
