import { circles, importViolations } from './imports.ts';
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
    ...circles(files),
  ].sort((a, b) => (a.file === b.file ? a.line - b.line : a.file < b.file ? -1 : 1));
}

const lengthViolations = ({ path, lines }: Parsed): Violation[] =>
  path.startsWith('functions/') && lines > functionLinesMax
    ? [{ file: path, line: functionLinesMax + 1, why: `has ${lines} lines: a function is a sentence, at most ${functionLinesMax} lines` }]
    : [];

/** A violation as an editor opens it: `file:line why`. */
export const shown = ({ file, line, why }: Violation): string => `${file}:${line} ${why}`;
