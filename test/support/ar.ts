/** The members of an ar archive, read by its form alone (ar(5)); throws for what is none. */
export function members(archive: Buffer): Map<string, Buffer> {
  if (archive.subarray(0, 8).toString() !== '!<arch>\n') throw new Error('this is no archive');
  const found = new Map<string, Buffer>();
  for (let at = 8; at < archive.length; ) {
    const header = archive.subarray(at, at + 60).toString();
    if (header.slice(58) !== '`\n') throw new Error(`no member begins at ${at}`);
    const size = Number(header.slice(48, 58));
    found.set(header.slice(0, 16).trim(), archive.subarray(at + 60, at + 60 + size));
    at += 60 + size + (size % 2);
  }
  return found;
}
