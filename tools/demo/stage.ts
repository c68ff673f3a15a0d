import type { Operator } from './operator.ts';
import type { Scene } from './scene.ts';
import { seconds } from './table.ts';
import type { Watching } from './watching.ts';

/** A measurement, in words and in ms. */
export type Measured = readonly [what: string, ms: number];

/**
 * The means of scenes: how to wait for something, and functions that print each finished scene and take a measurement.
 */
export type Means = {
  readonly watching: Watching;
  tell(scene: Scene): void;
  measured(what: string, ms: number): void;
};

/** Plays a scene, and prints it. Throws when an awaited result does not come. */
export async function scene(
  { watching, tell }: Pick<Means, 'watching' | 'tell'>,
  what: string,
  act: () => Promise<readonly string[]>,
): Promise<void> {
  const started = watching.now();
  const details = await act();
  tell({ what, ms: watching.now() - started, details });
}

/**
 * An operator's command that must end with this code and print something like this, as a terminal shows it. Throws with
 * the actual result.
 */
export async function command(
  { cast }: { readonly cast: Pick<Operator, 'muster'> },
  words: readonly string[],
  { code: wanted = 0, says = /(?:)/ }: { readonly code?: number; readonly says?: RegExp } = {},
): Promise<readonly string[]> {
  const { code, out, err } = await cast.muster(...words);
  // What a command that succeeds notes on its way is for those who wait for it.
  const text = (code === 0 ? out : `${out}${err}`).trimEnd();
  const typed = `muster ${words.map((word) => (/[\s"{]/.test(word) ? `'${word}'` : word)).join(' ')}`;
  if (code !== wanted || !says.test(text)) throw new Error(`${typed} ended with ${code}, not ${wanted} and ${says}:\n${text}`);
  return [`$ ${typed}`, ...text.split('\n'), ...(wanted === 0 ? [] : [`(exit code ${code})`])];
}

/** Measurements, as an aligned table of plain text. */
export function tableOf(figures: readonly Measured[]): string {
  const width = Math.max(...figures.map(([what]) => what.length));
  return figures.map(([what, ms]) => `  ${what.padEnd(width)}  ${seconds(ms).padStart(7)}\n`).join('');
}
