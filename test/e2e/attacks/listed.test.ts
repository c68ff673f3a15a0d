import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';

const folder = import.meta.dirname;

/** By the number of an attack: the files of this folder in which a test is named for it. */
function tested(): Record<number, string[]> {
  const files: Record<number, string[]> = {};
  for (const file of readdirSync(folder).toSorted()) {
    const numbers = [...readFileSync(join(folder, file), 'utf8').matchAll(/'attack (\d+): /g)].map(([, number]) => Number(number));
    for (const number of new Set(numbers)) files[number] = [...(files[number] ?? []), file];
  }
  return files;
}

/** The same as docs/attacks.md has it. */
function told(): Record<number, string[]> {
  const table = readFileSync(join(folder, '../../../docs/attacks.md'), 'utf8').matchAll(/^\| (\d+) \|.*\|(.*)\|$/gm);
  return Object.fromEntries(
    [...table].map(([, number, where]) => [
      Number(number),
      [...where!.matchAll(/\(\.\.\/test\/e2e\/attacks\/([^)]*)\)/g)].map(([, path]) => basename(path!)).toSorted(),
    ]),
  );
}

it('each attack has a test by its number, where docs/attacks.md says: the first forty, and those that were found since', () => {
  expect(Object.keys(tested()).map(Number)).toEqual(expect.arrayContaining(Array.from({ length: 40 }, (_, n) => n + 1)));
  expect(told()).toEqual(tested());
});
