import { seconds } from './table.ts';
import { progress } from './watching.ts';

/**
 * A scene of the story: what happened, how long it took until all was as it should be, in ms, and what there was to
 * see.
 */
export type Scene = { readonly what: string; readonly ms: number; readonly shown: readonly string[] };

/** Tells a scene on standard output, once it has been seen. */
export function tell({ what, ms, shown }: Scene): void {
  progress('');
  const lines = shown.map((line) => (line === '' ? '\n' : `    ${line}\n`));
  process.stdout.write(`\n${seconds(ms).padStart(7)}  ${what}\n${lines.length === 0 ? '' : '\n'}${lines.join('')}`);
}
