import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { Bug, Patch } from './bug.ts';
import { codeFolders } from './imports.ts';

const root = join(import.meta.dirname, '../../..');
let texts: ReadonlyMap<string, string> | undefined;
/** Where texts were found to stand: no file changes while a process plants. */
const known = new Map<string, string>();

/**
 * The text of each file that a bug can be planted in, by its path from the root: the code of the product, and what
 * plays a history of the simulation.
 */
function codeTexts(): ReadonlyMap<string, string> {
  const product = codeFolders.filter((folder) => folder !== 'test' && folder !== 'tools').flatMap((folder) => filesIn(folder, true));
  const isCode = (path: string): boolean => path.endsWith('.ts') && !path.endsWith('.test.ts');
  const files = [...product, ...filesIn('test/simulation', false)].filter(isCode);
  return new Map(files.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

const filesIn = (folder: string, recursive: boolean): string[] =>
  readdirSync(join(root, folder), { recursive, encoding: 'utf8' }).map((path) => posix.join(folder, path.replaceAll('\\', '/')));

/**
 * The file in which the text of a patch stands, by its path from the root. Throws where it stands in none, or more than
 * once.
 */
export function fileOf({ find }: Patch): string {
  const before = known.get(find);
  if (before !== undefined) return before;
  texts ??= codeTexts();
  const places = [...texts].flatMap(([path, text]) => new Array<string>(text.split(find).length - 1).fill(path));
  const [place] = places;
  if (place !== undefined && places.length === 1) {
    known.set(find, place);
    return place;
  }
  throw new Error(`${JSON.stringify(find)} stands ${places.length} times in the code${places.map((path) => `, in ${path}`).join('')}`);
}

/**
 * Each file that a bug changes, by its path from the root, with its text once the bug is in it. Throws as
 * {@link fileOf} does.
 */
export function textsWith({ patches }: Pick<Bug, 'patches'>): ReadonlyMap<string, string> {
  const changed = new Map<string, string>();
  for (const patch of patches) {
    const file = fileOf(patch);
    changed.set(
      file,
      (changed.get(file) ?? texts!.get(file)!).replace(patch.find, () => patch.replace),
    );
  }
  return changed;
}
