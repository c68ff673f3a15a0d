import { seconds } from './table.ts';
import { progress } from './watching.ts';

/** A scene of the story: what happened, the time in ms until all was as it should be, and the lines to show. */
export type Scene = { readonly what: string; readonly ms: number; readonly details: readonly string[] };

/** Prints a scene on standard output, once it has happened. */
export function tell({ what, ms, details }: Scene): void {
  progress('');
  const lines = details.map((line) => (line === '' ? '\n' : `    ${line}\n`));
  process.stdout.write(`\n${seconds(ms).padStart(7)}  ${what}\n${lines.length === 0 ? '' : '\n'}${lines.join('')}`);
}
