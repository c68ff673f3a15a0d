import { secondMs } from '../../lib/core/time.ts';
import type { Compared } from './facts.ts';
import type { Recovery } from './recovery.ts';

/** What is printed, and the exit code: 0 when everything that was compared is equal, else 1. */
export type Report = { readonly text: string; readonly code: 0 | 1 };

/** A table of what was compared, by fact; each difference; and the times. */
export function reportOf({ lost, replacement, before, compared, tookMs, measuredMs }: Recovery): Report {
  const facts = [...Map.groupBy(compared, ({ fact }) => fact)];
  const rows = facts.map(([fact, all]) => [fact, String(all.length), String(all.filter(({ same }) => same).length)]);
  const different = compared.filter(({ same }) => !same);
  const seconds = (ms: number | undefined) => (ms === undefined ? 'not yet' : `${(ms / secondMs).toFixed(1)} s`);
  const times = [
    [`${lost} known to be down`, seconds(tookMs.down)],
    [`replaced by ${replacement}`, seconds(tookMs.replaced)],
    ['every client system onboarded again', seconds(tookMs.placed)],
    ['recovery as the zone measured it, from down to the last turn', seconds(measuredMs)],
  ];
  const lines = [
    `${before.size} client systems, ${compared.length} facts compared`,
    '',
    ...table([['FACT', 'COMPARED', 'EQUAL'], ...rows]),
    ...(different.length > 0 ? ['', 'DIFFERENT', ...different.map(differenceOf)] : []),
    '',
    ...table([['AFTER THE DESTRUCTION', 'SECONDS'], ...times]),
    '',
    different.length === 0 ? 'recovered: nothing differs' : `not recovered: ${different.length} facts differ`,
  ];
  return { text: `${lines.join('\n')}\n`, code: different.length === 0 && compared.length > 0 ? 0 : 1 };
}

const differenceOf = ({ fqdn, fact, before, after }: Compared): string =>
  `${fqdn}, ${fact}: was ${before ?? 'not there'}, is ${after ?? 'not there'}`;

/** Columns as wide as their widest cell. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
