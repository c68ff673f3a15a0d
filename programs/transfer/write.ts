import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { writeWhole } from '../../lib/ports/storage/write-whole.ts';
import { printEnd } from './format.ts';

/** How many characters are gathered before they are written. */
const chunkChars = 1024 * 1024;

/**
 * Writes lines to a file that only its owner may read, and then the last line. The file appears whole and on the disk,
 * or not at all. Throws the errors of the file system and of `lines`.
 */
export const writeLines = (file: string, lines: AsyncIterable<string>): Promise<{ readonly lines: number; readonly bytes: number }> =>
  writeWhole(file, (handle) => writeAll(handle, lines));

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
