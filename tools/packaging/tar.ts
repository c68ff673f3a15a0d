/** One entry of an archive; folders end in `/` and hold nothing. Everything is root's. */
export type Entry = { readonly path: string; readonly mode: number; readonly content?: Uint8Array };

const block = 512;
/** The most bytes that a name of the plain form may have. */
const nameMax = 100;

/**
 * A tar archive of the POSIX ustar form
 * (https://pubs.opengroup.org/onlinepubs/9699919799/utilities/pax.html#tag_20_92_13_06); `atS` is the time of each
 * entry, in seconds. Throws for a name of more than 100 bytes.
 */
export function tar(entries: readonly Entry[], atS: number): Buffer {
  const parts = entries.flatMap(({ path, mode, content = Buffer.alloc(0) }) => [
    header({ path, mode, size: content.length, atS }),
    content,
    Buffer.alloc((block - (content.length % block)) % block),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * block)]);
}

function header({ path, mode, size, atS }: { path: string; mode: number; size: number; atS: number }): Buffer {
  if (Buffer.byteLength(path) > nameMax) throw new Error(`the name ${path} is longer than an archive takes`);
  const made = Buffer.alloc(block);
  const octal = (value: number, digits: number, at: number): void => {
    made.write(`${value.toString(8).padStart(digits, '0')}\0`, at);
  };
  made.write(path, 0);
  octal(mode, 7, 100);
  octal(0, 7, 108);
  octal(0, 7, 116);
  octal(size, 11, 124);
  octal(atS, 11, 136);
  made.write(path.endsWith('/') ? '5' : '0', 156);
  made.write('ustar\x0000', 257);
  made.write('root', 265);
  made.write('root', 297);
  // The checksum is computed with blanks in its own place.
  made.write('        ', 148);
  const sum = made.reduce((total, byte) => total + byte, 0);
  made.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return made;
}
