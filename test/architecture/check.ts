import { fileCycles, unitCycles } from './cycles.ts';
import { importViolations } from './imports.ts';
import { stateViolations } from './module-state.ts';
import { purityViolations } from './purity.ts';
import { type Parsed, parse, type Sources, type Violation } from './sources.ts';

/** A function is a sentence; longer, it has begun to think. */
const functionLinesMax = 30;

/** Everything in which the files break the architecture, in the order of files and lines. */
export function violations(sources: Sources): Violation[] {
  const files = [...sources].map(([path, text]) => parse(path, text));
  return [
    ...files.flatMap((file) => [...importViolations(file), ...purityViolations(file), ...stateViolations(file), ...lengthViolations(file)]),
    ...fileCycles(files),
    ...unitCycles(files),
    ...folderViolations(files),
  ].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}

const lengthViolations = ({ path, lines }: Parsed): Violation[] =>
  path.startsWith('functions/') && lines > functionLinesMax
    ? [{ file: path, line: functionLinesMax + 1, why: `has ${lines} lines: a function is a sentence, at most ${functionLinesMax} lines` }]
    : [];

/** A folder with more files than this is two or more things. */
const filesMax = 40;

function folderViolations(files: readonly Parsed[]): Violation[] {
  const held = Map.groupBy(files, ({ path }) => path.slice(0, path.lastIndexOf('/') + 1));
  return [...held].flatMap(([folder, { length }]) =>
    length > filesMax ? [{ file: folder, line: 1, why: `holds ${length} files: more than ${filesMax} are two or more things` }] : [],
  );
}

/** A violation as an editor opens it: `file:line why`. */
export const shown = ({ file, line, why }: Violation): string => `${file}:${line} ${why}`;
