import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { encodings, type PageFile, type Pages } from './pages.ts';

/** The file that lists the others. */
const listName = 'files.json';
const Listed = z.array(
  z.strictObject({
    path: z.string(),
    type: z.string(),
    tag: z.string(),
    isImmutable: z.boolean(),
    encodings: z.array(z.enum(encodings)),
  }),
);

/** Writes files of the page into a folder of their own, for {@link folderPages}; what was in it before is removed. */
export function writePages(folder: string, files: ReadonlyMap<string, PageFile>): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const list = [...files].map(([path, { type, tag, isImmutable, bytes, encoded }]): z.input<typeof Listed>[number] => {
    writeFileSync(join(folder, path), bytes);
    const kept = encodings.flatMap((encoding) => {
      const encodedBytes = encoded[encoding];
      return encodedBytes ? [{ encoding, encodedBytes }] : [];
    });
    for (const { encoding, encodedBytes } of kept) writeFileSync(join(folder, `${path}.${encoding}`), encodedBytes);
    return { path, type, tag, isImmutable, encodings: kept.map(({ encoding }) => encoding) };
  });
  writeFileSync(join(folder, listName), JSON.stringify(list));
}

/** The page as {@link writePages} left it in this folder; it is read at the first call. */
export function folderPages(folder: string): Pages {
  let read: ReadonlyMap<string, PageFile> | undefined;
  return {
    files: async () => {
      read ??= new Map(
        Listed.parse(JSON.parse(readFileSync(join(folder, listName), 'utf8'))).map(({ path, encodings: kept, ...file }) => [
          path,
          {
            ...file,
            bytes: readFileSync(join(folder, path)),
            encoded: Object.fromEntries(kept.map((encoding) => [encoding, readFileSync(join(folder, `${path}.${encoding}`))])),
          },
        ]),
      );
      return read;
    },
  };
}
