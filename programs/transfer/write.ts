import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { printEnd } from './format.ts';

/** How many characters are gathered before they are written. */
const chunkChars = 1024 * 1024;

/**
 * Writes lines to a file that only its owner may read, and then the last line. The file appears whole and on the disk,
 * or not at all. Throws the errors of the file system and of `lines`.
 */
export async function writeLines(file: string, lines: AsyncIterable<string>): Promise<{ readonly lines: number; readonly bytes: number }> {
  const draft = `${file}.part`;
  await rm(draft, { force: true });
  const handle = await open(draft, 'wx', 0o600);
  try {
    const written = await writeAll(handle, lines);
    await handle.sync();
    await handle.close();
    await rename(draft, file);
    await flushed(dirname(file));
    return written;
  } catch (error) {
    await handle.close();
    await rm(draft, { force: true });
    throw error;
  }
}

async function writeAll(handle: FileHandle, lines: AsyncIterable<string>): Promise<{ lines: number; bytes: number }> {
  const hash = createHash('sha256');
  const written = { lines: 0, bytes: 0 };
  let gathered = '';
  const flush = async (): Promise<void> => {
    const bytes = Buffer.from(gathered);
    gathered = '';
    hash.update(bytes);
    written.bytes += bytes.length;
    await handle.appendFile(bytes);
  };
  for await (const line of lines) {
    gathered += `${line}\n`;
    written.lines += 1;
    if (gathered.length >= chunkChars) await flush();
  }
  await flush();
  const end = Buffer.from(`${printEnd(written.lines, hash.digest('hex'))}\n`);
  await handle.appendFile(end);
  return { lines: written.lines + 1, bytes: written.bytes + end.length };
}

/** Syncs a folder: a new name is on the disk once its folder is. Windows has no way to ask for that, and no need. */
async function flushed(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
