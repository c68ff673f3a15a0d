import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { columns, type Figure, isMet } from './figure.ts';

/** The argument by which a benchmark hands its figures to another program instead of printing them. */
export const asJson = '--json';

/**
 * Runs one benchmark as a program: prints its figures and exits with 1 when one misses its target. `folder` is for the
 * benchmark's files and is gone when the program ends, however it ends.
 */
export async function program(measure: (folder: string) => Figure[] | Promise<Figure[]>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  exitOnSignals();
  const figures = await measure(folder);
  console.log(process.argv.includes(asJson) ? JSON.stringify(figures) : aligned(columns(figures)).join('\n'));
  process.exitCode = figures.every(isMet) ? 0 : 1;
}

/**
 * Makes signals end the program as an error does, so that everything that waits for its end (files, started processes)
 * is cleaned up.
 */
export function exitOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
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
