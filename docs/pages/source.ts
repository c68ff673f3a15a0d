import { readdirSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

/** The text of a file of the project. */
export const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** The names of the files in a folder of the project, in order. */
export const filesIn = (folder: string): string[] => readdirSync(new URL(`${folder}/`, root)).sort();

/** Says on top of a page where it comes from. */
export const madeFrom = (...sources: readonly string[]): string =>
  `<!-- Made by \`npm run docs\` from ${sources.join(', ')}: edit those. -->\n`;

/** A Markdown table. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(titles) + line(titles.map(() => '---')) + rows.map(line).join('');
}
