import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Bug } from './bug.ts';
import { importsIn, reaching } from './imports.ts';
import { textsWith } from './places.ts';

const root = join(import.meta.dirname, '../../..');
const query = 'planted';

type Planted = {
  readonly bug: Bug;
  /** The files that it changes, as they are with it. */
  readonly texts: ReadonlyMap<string, string>;
  /** The files that are loaded for it alone. */
  readonly own: ReadonlySet<string>;
  /** Those of its files that have been loaded so far. */
  readonly loaded: Set<string>;
};

/** What can be planted in this process, by its name. */
const planted = new Map<string, Planted>();
let imports: ReturnType<typeof importsIn> | undefined;

/**
 * Imports a file of the project as it would be with a bug in it: every file of the project from which what the bug
 * changes is reached, now or later by `import()`, is loaded anew for this bug alone, so that one process can hold many;
 * what cannot see the change is shared. `path` is from the project's root. Throws when a text to be replaced does not
 * stand exactly once in the code.
 */
export async function importWith(bug: Bug, path: string): Promise<unknown> {
  if (planted.size === 0) hook();
  imports ??= importsIn(root);
  if (!planted.has(bug.name)) {
    const texts = textsWith(bug);
    planted.set(bug.name, { bug, texts, own: reaching(imports, [...texts.keys()]), loaded: new Set() });
  }
  const url = pathToFileURL(join(root, path));
  url.searchParams.set(query, bug.name);
  return import(url.href);
}

/** The files of a bug that nothing has loaded yet: until there are none, it is not planted. */
export const notLoaded = (bug: Bug): string[] => [...textsWith(bug).keys()].filter((file) => !planted.get(bug.name)?.loaded.has(file));

/**
 * The files of the project as JavaScript: all that bugs have loaded anew and have not changed is the same text, by its
 * path.
 */
const stripped = new Map<string, string>();

function strippedText(file: string): string {
  let text = stripped.get(file);
  if (text === undefined) {
    text = stripTypeScriptTypes(readFileSync(join(root, file), 'utf8'));
    stripped.set(file, text);
  }
  return text;
}

/** Files of the project know by their address which bug they are loaded for, and pass it on to what they import. */
function hook(): void {
  registerHooks({
    resolve: (specifier, context, next) => {
      const resolved = next(specifier, context);
      const of = planted.get(bugOf(context.parentURL) ?? bugOf(resolved.url) ?? '');
      if (!of?.own.has(pathOf(resolved.url))) return resolved;
      const url = new URL(resolved.url);
      url.searchParams.set(query, of.bug.name);
      return { ...resolved, url: url.href };
    },
    load: (url, context, next) => {
      const of = planted.get(bugOf(url) ?? '');
      const file = pathOf(url);
      if (!of || !file.endsWith('.ts')) return next(url, context);
      const text = of.texts.get(file);
      if (text === undefined) return { format: 'module', source: strippedText(file), shortCircuit: true };
      of.loaded.add(file);
      return { format: 'module-typescript', source: text, shortCircuit: true };
    },
  });
}

const bugOf = (url: string | undefined): string | undefined =>
  url?.startsWith('file:') ? (new URL(url).searchParams.get(query) ?? undefined) : undefined;

/** A file of the project from its root; empty for anything else. */
function pathOf(url: string): string {
  if (!url.startsWith('file:')) return '';
  const path = relative(root, fileURLToPath(url)).replaceAll('\\', '/');
  return path.startsWith('..') || path.startsWith('node_modules/') ? '' : path;
}
