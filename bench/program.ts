import { columns, type Figure, isMet } from './figure.ts';

/** What a benchmark is called with to hand its figures to another program instead of printing them. */
export const asJson = '--json';

/** Runs one benchmark as a program: prints its figures and exits with 1 when one misses its target. */
export async function program(measure: () => Figure[] | Promise<Figure[]>): Promise<void> {
  const figures = await measure();
  console.log(process.argv.includes(asJson) ? JSON.stringify(figures) : aligned(columns(figures)).join('\n'));
  process.exitCode = figures.every(isMet) ? 0 : 1;
}

/** Rows of columns as lines, each column as wide as its widest entry. */
export function aligned(rows: readonly string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]!.length))) ?? [];
  return rows.map((row) =>
    row
      .map((entry, column) => entry.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
