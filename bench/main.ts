import { writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem, type } from 'node:os';
import { join } from 'node:path';
import { columns, type Figure, isMet } from './figure.ts';
import { outputOf } from './processes.ts';
import { aligned, asJson, exitOnSignals } from './program.ts';

/** Every benchmark, each run as a process of its own so that none meets what another taught the compiler; and how long it may take. */
const parts = [
  { file: 'status.ts', is: 'Status check in process', withinMs: 180_000 },
  { file: 'signatures.ts', is: 'Signed calls in process', withinMs: 120_000 },
  { file: 'knocks.ts', is: 'Knocks at the door in process', withinMs: 180_000 },
  { file: 'http-status.ts', is: 'Status over HTTP on the embedded host, beside etcd', withinMs: 300_000 },
  { file: 'detection.ts', is: 'A dead node is noticed, and its client systems are placed', withinMs: 900_000 },
  { file: 'expiry.ts', is: 'Until all answers have changed, beside leases of etcd that run out', withinMs: 600_000 },
  { file: 'million.ts', is: 'An embedded host with a million client systems', withinMs: 900_000 },
  { file: 'node-loss.ts', is: 'A lost node, and one that reboots', withinMs: 300_000 },
  { file: 'commits.ts', is: 'Durable commits of the embedded table', withinMs: 180_000 },
  { file: 'plan.ts', is: 'Planning a zone', withinMs: 60_000 },
  { file: 'balance.ts', is: 'Balance of a zone, beside hashing', withinMs: 300_000 },
  { file: 'units.ts', is: 'Units of operations, and what a month costs', withinMs: 60_000 },
  { file: 'simulation.ts', is: 'The simulated cluster', withinMs: 300_000 },
] as const;

type Part = { readonly is: string; readonly file: string; readonly loadBefore: number; readonly figures: readonly Figure[] };

const run = (file: string, args: readonly string[], withinMs: number): Promise<string> =>
  outputOf(process.execPath, [join(import.meta.dirname, file), ...args], withinMs);

async function measured({ file, is, withinMs }: (typeof parts)[number]): Promise<Part> {
  const loadBefore = loadavg()[0]!;
  return { file, is, loadBefore, figures: JSON.parse(await run(file, [asJson], withinMs)) as Figure[] };
}

/** What the figures were measured on. */
const machine = (): string =>
  `${cpus().length} cores of ${cpus()[0]!.model}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}, Node.js ${process.version}`;

const asText = (all: readonly Part[]): string =>
  aligned(
    all.flatMap(({ is, loadBefore, figures }) => [
      [`${is} (load ${loadBefore.toFixed(2)})`, '', '', ''],
      ...columns(figures),
      ['', '', '', ''],
    ]),
  ).join('\n');

const asMarkdown = (all: readonly Part[], bundles: string): string => `# Measured

\`npm run bench\` repeats all of this, and \`npm run bench -- --write\` also writes this file; \`node bench/<part>.ts\` runs one part.

- Measured on ${new Date().toISOString().slice(0, 10)}, on ${machine()}.
- The machine is shared with other work, so figures are medians of interleaved rounds, with the least and the most beside them.
  The load average when each part began tells how busy it was; from the second part on, this benchmark's own load is in it.
- A peer is measured in the same run, in turns with us; a ratio is taken round by round.

${all.map(section).join('\n')}
## Bundles (\`bench/bundles.ts\`)

\`\`\`
${bundles.trimEnd()}
\`\`\`
`;

const section = ({ is, file, loadBefore, figures }: Part): string => `## ${is} (\`bench/${file}\`)

Load average at the start: ${loadBefore.toFixed(2)}.

| what | measured | target | note |
| --- | ---: | ---: | --- |
${columns(figures)
  .map((row) => `| ${row.join(' | ')} |`)
  .join('\n')}
`;

exitOnSignals();
const done: Part[] = [];
for (const part of parts) {
  console.error(`${part.is} …`);
  done.push(await measured(part));
}
console.error('Bundles …');
const bundles = await run('bundles.ts', [], 180_000);
console.log(`${machine()}\n\n${asText(done)}\n${bundles}`);
if (process.argv.includes('--write')) writeFileSync(join(import.meta.dirname, 'RESULTS.md'), asMarkdown(done, bundles));
process.exitCode = done.every(({ figures }) => figures.every(isMet)) && !bundles.includes('MISSED') ? 0 : 1;
