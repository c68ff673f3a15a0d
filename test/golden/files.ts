import { createHash } from 'node:crypto';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Where what is recorded lies: histories/ and reports/, and frozen.json with a digest of each file. */
export const recordedFolder = fileURLToPath(new URL('recorded', import.meta.url));

/** Texts of files by their path in the folder, with forward slashes; the order is that of the paths. */
export type Files = ReadonlyMap<string, string>;
/** The digest that each file had when it was recorded. */
export type Frozen = Readonly<Record<string, string>>;

/** Every recorded file. */
export const readRecorded = (folder = recordedFolder): Files =>
  new Map(
    globSync('*/*', { cwd: folder })
      .map((path) => path.replaceAll('\\', '/'))
      .sort()
      .map((path) => [path, readFileSync(`${folder}/${path}`, 'utf8')]),
  );

/** The digests as they were frozen. */
export const readFrozen = (folder = recordedFolder): Frozen => JSON.parse(readFileSync(`${folder}/frozen.json`, 'utf8')) as Frozen;

/** SHA-256 of a file, however its lines end. */
export const digestOf = (text: string): string => createHash('sha256').update(text.replaceAll('\r\n', '\n')).digest('hex');

/** Writes one new file and freezes its digest. Throws when there is one of that name. */
export function keep(path: string, text: string, folder = recordedFolder): void {
  writeFileSync(`${folder}/${path}`, text, { flag: 'wx' });
  const frozen = { ...readFrozen(folder), [path]: digestOf(text) };
  const sorted = Object.fromEntries(Object.entries(frozen).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(`${folder}/frozen.json`, `${JSON.stringify(sorted, undefined, 2)}\n`);
}

const instead = `Put it back as it was: deployments hold messages and rows like these. If what Muster does has changed on purpose, write down why in
docs/decisions/ and record what comes of the same inputs now: node test/golden/record.ts <name> --because <number of the decision>.
What is new is recorded as a new history beside the others: docs/decisions/0017-golden-histories.md.`;

/** What was done to recorded files that must not be done, each with what to do instead. */
export const tampered = (files: Files, frozen: Frozen): string[] => [
  ...[...files].flatMap(([path, text]) => {
    if (frozen[path] === undefined) return [`${path} was written by hand. Recorded files are made by: node test/golden/record.ts`];
    return frozen[path] === digestOf(text) ? [] : [`${path} was edited. ${instead}`];
  }),
  ...Object.keys(frozen).flatMap((path) => (files.has(path) ? [] : [`${path} was taken away. ${instead}`])),
];

/** The newest of the numbered ends of a history or report, and its number; undefined when there is none. */
export function newestEnd(files: Files, of: string): { readonly number: number; readonly text: string } | undefined {
  for (let number = 1, text: string | undefined; ; number++) {
    const next = files.get(`${of}.end.${number}.json`);
    if (next === undefined) return text === undefined ? undefined : { number: number - 1, text };
    text = next;
  }
}
