import type { Measured } from './operations.ts';
import { type Scale, scaleSizes } from './scale.ts';

/**
 * To what figures are rounded up, by their names: bytes by so many that a word in a log line or a row makes no other
 * file.
 */
const roundedTo: Readonly<Record<string, number>> = { logBytes: 50, bytesPerClient: 200, bytesPerNode: 1_000 };

/** What was measured, as the command line keeps it: what is 0 is left out. */
export const textOf = (measured: Measured): string => `${JSON.stringify(measured, kept, 2)}\n`;

function kept(name: string, value: unknown): unknown {
  if (value === 0) return undefined;
  const step = roundedTo[name];
  return step !== undefined && typeof value === 'number' ? Math.ceil(value / step) * step : value;
}

/** What every operation uses at every size, as docs/table.md has it. */
export const scaleText = (played: readonly Scale[]): string => `${JSON.stringify({ sizes: scaleSizes, played }, undefined, 2)}\n`;
