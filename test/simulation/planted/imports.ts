import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** Folders whose files a history may load. */
export const codeFolders = ['events', 'functions', 'infra', 'lib', 'programs', 'test', 'tools'];
const source = /\.m?[jt]s$/;

/**
 * What each source file of the project imports of the project, by its path from the root; types too, which nothing
 * loads.
 */
export function importsIn(root: string): ReadonlyMap<string, ReadonlySet<string>> {
  const files = codeFolders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((path) => posix.join(folder, path.replaceAll('\\', '/')))
      .filter((path) => source.test(path)),
  );
  return new Map(files.map((file) => [file, new Set(importedBy(file, readFileSync(join(root, file), 'utf8'), files))]));
}

function importedBy(file: string, text: string, files: readonly string[]): string[] {
  const at = (path: string): string => posix.join(dirname(file), path);
  const named = [...text.matchAll(/(?:from|import|import\()\s*['"](\.[^'"]+)['"]/g)].map(([, path]) => at(path!));
  // A path that is computed may be of any file that begins like it.
  const computed = [...text.matchAll(/import\(\s*`(\.[^`$]*)\$\{/g)].map(([, beginning]) => at(beginning!));
  return [...named, ...files.filter((path) => computed.some((beginning) => path.startsWith(beginning)))];
}

/** The files from which one of `changed` is reached, these among them. */
export function reaching(imports: ReadonlyMap<string, ReadonlySet<string>>, changed: readonly string[]): ReadonlySet<string> {
  const found = new Set(changed);
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const [file, imported] of imports) if (!found.has(file) && [...imported].some((one) => found.has(one))) found.add(file);
  }
  return found;
}
