import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Month } from '../../programs/cli/cost/bill.ts';
import { target } from '../../programs/cli/cost/target.ts';
import { measure } from './operations.ts';
import type { Figure } from './report/figure.ts';
import { program } from './report/program.ts';
import { playedAtEverySize } from './scale.ts';
import { scaleText, textOf } from './units-file.ts';

/** The files of units: for the command line, and at every size for docs/table.md. */
const file = join(import.meta.dirname, '../../programs/cli/cost/units.json');
const scaleFile = join(import.meta.dirname, 'scale.json');

const targets: Readonly<Record<string, number>> = { direct: 700, 'function URLs': 300 };

const ways: Readonly<Record<string, string>> = {
  direct: 'with heartbeats decided by their endpoint',
  'function URLs': 'with that and function URLs',
};

/** The usage of the operations that cost most, and the cost of a month. */
async function figures(): Promise<Figure[]> {
  const { operations } = await measure();
  // Loaded once the units are written, because it reads them when it is loaded.
  const { monthsOf } = await import('../../programs/cli/cost/bill.ts');
  const units = (
    [
      'heartbeat',
      'heartbeatDirect',
      'heartbeatWithDigest',
      'glance',
      'tick',
      'statusByToken',
      'statusWithoutToken',
      'restart',
      'sweep',
      'loss',
    ] as const
  ).map((name): Figure => {
    const used = Object.values(operations[name]!);
    const sum = (of: 'reads' | 'writes') => used.reduce((all, one) => all + one[of], 0);
    return {
      what: `${name}: units`,
      measured: sum('reads') + sum('writes'),
      unit: 'units',
      note: `${sum('reads')} read, ${sum('writes')} write`,
    };
  });
  return [...units, ...monthsOf(target).map(figureOf)];
}

const figureOf = ({ name, totalUsd, items, deadKnownInS }: Month): Figure => ({
  what: `a month of 1,000,000 client systems on 500 nodes, ${ways[name] ?? name}`,
  measured: totalUsd,
  unit: 'USD',
  ...(targets[name] !== undefined && { target: { atMost: targets[name] } }),
  note: `a dead one known in ${deadKnownInS} s; most: ${items
    .toSorted((a, b) => b.usd - a.usd)
    .slice(0, 4)
    .map(({ item, usd }) => `${item} ${usd.toFixed(0)}`)
    .join(', ')}`,
});

await program(async () => {
  if (process.argv.includes('--write')) {
    writeFileSync(file, textOf(await measure()));
    writeFileSync(scaleFile, scaleText(await playedAtEverySize()));
  }
  return figures();
});
