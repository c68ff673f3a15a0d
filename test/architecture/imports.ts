import { allows, layers, reserved } from './layers.ts';
import type { Parsed, Violation } from './sources.ts';

/** The file that alone imports every noun's decide. */
const dispatch = 'lib/dispatch.ts';
const nounOf = (path: string): string | undefined =>
  /^lib\/(clients|deployment|desired|digests|hosts|nodes|systems|zones)\//.exec(path)?.[1];

/** Imports that the layers do not allow. */
export function importViolations(file: Parsed): Violation[] {
  const layer = layers.find(({ of }) => of.test(file.path));
  if (!layer) return [{ file: file.path, line: 1, why: 'no layer of the architecture has a place for this file' }];
  const own = file.path.slice(0, file.path.lastIndexOf('/') + 1);
  const refused = file.imports
    .filter(({ from }) => !(own !== '' && own !== 'lib/' && from.startsWith(own)) && !allows(layer.may, from))
    .map(({ from, line }) => ({ file: file.path, line, why: `imports ${from}: ${layer.why}` }));
  const taken = file.imports.flatMap(({ from, line }) =>
    reserved
      .filter(({ what, by }) => what.test(from) && !by.test(file.path))
      .map(({ why }) => ({ file: file.path, line, why: `imports ${from}: ${why}` })),
  );
  return [...refused, ...taken, ...decideViolations(file), ...zodViolations(file)];
}

/** Slices meet through events and plans, never through each other's decide; everybody else but dispatch asks one noun to decide. */
function decideViolations(file: Parsed): Violation[] {
  const own = nounOf(file.path);
  const decides = file.imports.filter(({ names }) => names.some((name) => /^decide/.test(name)));
  const others = decides.filter(({ from }) => nounOf(from) !== undefined && nounOf(from) !== own);
  if (own !== undefined)
    return others.map(({ from, line }) => ({
      file: file.path,
      line,
      why: `imports the decide of ${from}: slices meet through events or in a plan`,
    }));
  const asked = new Set(others.map(({ from }) => nounOf(from)));
  if (file.path === dispatch || asked.size < 2) return [];
  const why = `asks ${[...asked].join(' and ')} to decide: only ${dispatch} knows the decide of more than one noun`;
  return [{ file: file.path, line: others.at(-1)!.line, why }];
}

const zodViolations = (file: Parsed): Violation[] =>
  file.imports
    .filter(({ from, isWhole }) => from === 'zod' && !isWhole)
    .map(({ line }) => ({ file: file.path, line, why: 'imports names of zod: only `import * as z` lets a bundle leave most of it out' }));

/** Circles of imports within lib/, types included: none of their files can be read first. One violation for each import that closes one. */
export function circles(files: readonly Parsed[]): Violation[] {
  const byPath = new Map(files.flatMap((file) => (file.path.startsWith('lib/') ? [[file.path, file] as const] : [])));
  const done = new Set<string>();
  const found: Violation[] = [];
  const visit = (file: Parsed, trail: readonly string[]): void => {
    if (done.has(file.path)) return;
    const here = [...trail, file.path];
    for (const { from, line } of file.imports) {
      const next = byPath.get(from);
      if (!next) continue;
      const at = here.indexOf(from);
      if (at >= 0) found.push({ file: file.path, line, why: `closes a circle of imports: ${[...here.slice(at), from].join(' → ')}` });
      else visit(next, here);
    }
    done.add(file.path);
  };
  for (const file of byPath.values()) visit(file, []);
  return found;
}
