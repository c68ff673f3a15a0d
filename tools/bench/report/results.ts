import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { columns, type Figure } from './figure.ts';
import { aligned } from './program.ts';

/** The result of one benchmark, and its date: figures, or the `text` that it printed. */
export type Measured = {
  readonly is: string;
  readonly file: string;
  readonly when: string;
  readonly figures?: readonly Figure[];
  readonly text?: string;
};

/** The day, and how busy the machine is before a benchmark begins. */
export const measuredNow = (): string =>
  `Measured on ${new Date().toISOString().slice(0, 10)}; load average at the start: ${loadavg()[0]!.toFixed(2)}.`;

/** The machine of the measurements. */
const machine = (): string =>
  `${cpus().length} cores of ${cpus()[0]!.model}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}, Node.js ${process.version}`;

/** Figures of some benchmarks for a terminal. */
export function asText(all: readonly Measured[]): string {
  const rows = all.flatMap(({ is, when, figures = [] }) => [[`${is} (${when})`, '', '', ''], ...columns(figures), ['', '', '', '']]);
  return [machine(), '', ...aligned(rows), ...all.flatMap(({ text }) => text ?? [])].join('\n');
}

const file = join(import.meta.dirname, '../RESULTS.md');

/** Writes RESULTS.md: new sections for the parts that were measured now, and the existing ones for the others. */
export function writeResults(parts: readonly Pick<Measured, 'file'>[], now: readonly Measured[]): void {
  const sections = new Map([...sectionsOf(readFileSync(file, 'utf8')), ...now.map((one) => [one.file, section(one)] as const)]);
  writeFileSync(file, `${head()}\n${parts.flatMap((part) => sections.get(part.file) ?? []).join('\n')}`);
}

const head = (): string => `# Measured

\`npm run bench\` repeats all of this, \`npm run bench -- status balance\` some parts of it; with \`--write\` it also writes
their sections of this file; \`node tools/bench/<part>.ts\` runs one part alone.

- Measured on ${machine()}.
- The machine is shared with other work, so figures are medians of interleaved rounds, with the least and the most
  beside them. The load average when each part began tells how busy it was; from the second part on, this benchmark's
  own load is in it. How fast the machine itself is differs from day to day by a factor of up to five: compare figures
  of one section alone. One version answered 14,633 and 79,903 status calls a second on two days, 1.01 and 2.84 times
  what etcd's gRPC did beside it; on the slow one, system calls cost most.
- A peer is measured in the same run, in turns with us; a ratio is taken round by round.
`;

/** The sections of the existing file, by the benchmark that their heading names. */
const sectionsOf = (text: string): (readonly [string, string])[] =>
  text
    .split(/^(?=## )/m)
    .slice(1)
    .map((one) => [/\(`tools\/bench\/([\w/-]+\.ts)`\)/.exec(one)![1]!, `${one.trimEnd()}\n`]);

const section = ({ is, file: name, when, figures, text }: Measured): string => `## ${is} (\`tools/bench/${name}\`)

${when}

${figures ? table(figures) : fenced(text ?? '')}
`;

const table = (figures: readonly Figure[]): string =>
  ['| what | measured | target | note |', '| --- | ---: | ---: | --- |', ...columns(figures).map((row) => `| ${row.join(' | ')} |`)].join(
    '\n',
  );

const fenced = (text: string): string => `\`\`\`\n${text.trimEnd()}\n\`\`\``;
