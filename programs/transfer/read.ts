import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { MusterError } from '../../lib/core/errors.ts';
import { type Entry, type Header, parseEntry, parseHeader, printEnd } from './format.ts';

/** The longest line that is read: a row of 400 KB, all of it control characters, each of which JSON writes with six. */
const lineBytesMax = 4 * 1024 * 1024;

const newline = 0x0a;

const damaged = (why: string): MusterError => new MusterError('export.damaged', `the file is not as it was written: ${why}`, 'never');

/** A file that was read to its end: its header, and the SHA-256 of everything before its last line. */
export type Whole = { readonly header: Header; readonly sha256: string };

/**
 * Reads a file line by line, and hands over its header and then every entry. Throws a MusterError: `export.damaged` for
 * a file that was cut or changed, which shows only at its end, or whose counts differ from its header;
 * `export.unreadable` for a file that is no export; `export.newer` for a version that is not known here.
 */
export async function readExport(
  file: string,
  each: { readonly header?: (header: Header) => Promise<void>; readonly entry?: (entry: Entry) => Promise<void> } = {},
): Promise<Whole> {
  const hash = createHash('sha256');
  const counted = { row: 0, image: 0, message: 0 };
  let header: Header | undefined;
  let lines = 0;
  const take = async (bytes: Buffer): Promise<void> => {
    lines += 1;
    hash.update(bytes);
    const text = bytes.toString('utf8', 0, bytes.length - 1);
    if (header === undefined) {
      header = parseHeader(text);
      return each.header?.(header);
    }
    const entry = parseEntry(text, lines);
    counted[entry.is] += 1;
    await each.entry?.(entry);
  };
  const last = await allButLast(linesOf(file), take);
  const sha256 = refuseEnd(last, lines, hash);
  return { header: refuseOther(header, counted), sha256 };
}

/** Gives each line but the last to `take`, and resolves to the last. */
async function allButLast(lines: AsyncIterable<Buffer>, take: (line: Buffer) => Promise<void>): Promise<Buffer | undefined> {
  let held: Buffer | undefined;
  for await (const line of lines) {
    if (held !== undefined) await take(held);
    held = line;
  }
  return held;
}

function refuseEnd(last: Buffer | undefined, lines: number, hash: Hash): string {
  const sha256 = hash.digest('hex');
  // The bytes are compared: another text with the same meaning is not what was written.
  if (last === undefined || !last.equals(Buffer.from(`${printEnd(lines, sha256)}\n`)))
    throw damaged('its last line does not match the lines before it, so it was cut or changed');
  return sha256;
}

function refuseOther(header: Header | undefined, counted: Record<Entry['is'], number>): Header {
  if (header === undefined) throw damaged('it has no header');
  const { rows, images, messages } = header;
  if (rows !== counted.row || images !== counted.image || messages !== counted.message)
    throw damaged(
      `its header names ${rows} rows, ${images} images and ${messages} messages, and it has ${Object.values(counted).join(', ')}`,
    );
  return header;
}

/** The lines of a file as bytes, each with its line feed. Bytes after the last line feed are a line as well. */
async function* linesOf(file: string): AsyncIterable<Buffer> {
  let rest: Buffer[] = [];
  let length = 0;
  for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
    let from = 0;
    for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, from)) {
      yield Buffer.concat([...rest, chunk.subarray(from, at + 1)]);
      [rest, length, from] = [[], 0, at + 1];
    }
    if (from < chunk.length) rest.push(chunk.subarray(from));
    length += chunk.length - from;
    if (length > lineBytesMax) throw damaged(`a line is longer than ${lineBytesMax} B`);
  }
  if (rest.length > 0) yield Buffer.concat(rest);
}
