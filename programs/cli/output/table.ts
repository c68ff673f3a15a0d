import { type Paint, painted } from './paint.ts';
import { printable } from './printable.ts';

/** One column of a table: its title and what a row shows there. Numbers are aligned to the right. */
export type Column<T> = {
  readonly title: string;
  readonly align?: 'right';
  readonly of: (row: T) => string;
  readonly paint?: (row: T) => Paint | undefined;
};

/** Rows under a line of titles, in columns two spaces apart and as narrow as their widest cell; empty without rows. */
export function table<T>(rows: readonly T[], columns: readonly Column<T>[], colours: boolean): string {
  if (rows.length === 0) return '';
  const cells = rows.map((row) => columns.map((column) => printable(column.of(row)) || '-'));
  const widths = columns.map(({ title }, i) => Math.max(widthOf(title), ...cells.map((line) => widthOf(line[i]!))));
  const titles = columns.map(({ title, align }, i) => painted(padded(title, widths[i]!, align), 'quiet', colours));
  const body = cells.map((line, at) =>
    columns.map(({ align, paint }, i) => painted(padded(line[i]!, widths[i]!, align), paint?.(rows[at]!), colours)),
  );
  return [titles, ...body].map((line) => `${line.join('  ').trimEnd()}\n`).join('');
}

/** The first column of each row, one a line: names for a script. */
export const namesIn = <T>(rows: readonly T[], [first]: readonly Column<T>[]): string =>
  rows.map((row) => `${printable(first!.of(row))}\n`).join('');

/** Facts of one thing, a line each, the names in one column; those without a value are left out. */
export function details(facts: Readonly<Record<string, string | undefined>>, colours: boolean): string {
  const given = Object.entries(facts).filter((entry): entry is [string, string] => entry[1] !== undefined && entry[1] !== '');
  const width = Math.max(...given.map(([name]) => name.length));
  return given.map(([name, value]) => `  ${painted(name.padEnd(width), 'quiet', colours)}  ${printable(value)}\n`).join('');
}

const widthOf = (text: string): number => [...text].length;
const padded = (text: string, width: number, align: 'right' | undefined): string => {
  const space = ' '.repeat(width - widthOf(text));
  return align === 'right' ? space + text : text + space;
};
