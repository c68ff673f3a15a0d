import { placeOf } from './kinds.ts';
import type { Parsed, Violation } from './sources.ts';

/** One import, from where to where, and where it stands. */
type Edge = { readonly from: string; readonly to: string; readonly file: string; readonly line: number };

/**
 * Cycles of imports by value between files: none of them can be read first. One violation for each import that closes
 * one.
 */
export const fileCycles = (files: readonly Parsed[]): Violation[] => {
  const known = new Set(files.map(({ path }) => path));
  const edges = files.flatMap(({ path, imports }) =>
    imports
      .filter(({ from, isType }) => !isType && known.has(from))
      .map(({ from, line }): Edge => ({ from: path, to: from, file: path, line })),
  );
  return closing(edges, 'files');
};

/**
 * Cycles between units of `lib/`, types included: a unit is what one folder has of one kind, and none may need what
 * needs it.
 */
export const unitCycles = (files: readonly Parsed[]): Violation[] => {
  const edges = files.flatMap(({ path, imports }) =>
    imports.flatMap(({ from, line }): Edge[] => {
      const [unit, other] = [unitOf(path), unitOf(from)];
      return unit === undefined || other === undefined || unit === other ? [] : [{ from: unit, to: other, file: path, line }];
    }),
  );
  return closing(edges, 'units');
};

/** The unit of a file: its folder and its kind. Who verifies and who handles are one. */
function unitOf(path: string): string | undefined {
  const place = placeOf(path);
  if (!place) return undefined;
  const { folder, kind } = place;
  return kind === 'foundation' || kind === 'contract' ? folder : `${folder} (${kind === 'verify' ? 'handlers' : kind})`;
}

function closing(edges: readonly Edge[], what: string): Violation[] {
  const next = new Map<string, Edge[]>();
  for (const edge of edges) next.set(edge.from, [...(next.get(edge.from) ?? []), edge]);
  const done = new Set<string>();
  const found: Violation[] = [];
  const visit = (here: string, trail: readonly string[]): void => {
    if (done.has(here)) return;
    const path = [...trail, here];
    for (const { to, file, line } of next.get(here) ?? []) {
      const at = path.indexOf(to);
      if (at < 0) visit(to, path);
      else found.push({ file, line, why: `closes a cycle of ${what}: ${[...path.slice(at), to].join(' → ')}` });
    }
    done.add(here);
  };
  for (const start of next.keys()) visit(start, []);
  return found;
}
