import type { Measured } from './operations.ts';
import { type Scale, scaleSizes } from './scale.ts';

/**
 * The steps to which figures are rounded up, by their names: bytes in steps so large that a changed word in a log line
 * or a row makes no other file.
 */
const roundedTo: Readonly<Record<string, number>> = { logBytes: 50, bytesPerClient: 200, bytesPerNode: 1_000 };

/** The measurements, as the command line stores them: zeros are left out. */
export const textOf = (measured: Measured): string => `${JSON.stringify(measured, storedValue, 2)}\n`;

function storedValue(name: string, value: unknown): unknown {
  if (value === 0) return undefined;
  const step = roundedTo[name];
  return step !== undefined && typeof value === 'number' ? Math.ceil(value / step) * step : value;
}

/** The usage of every operation at every size, as docs/table.md has it. */
export const scaleText = (played: readonly Scale[]): string => `${JSON.stringify({ sizes: scaleSizes, played }, undefined, 2)}\n`;
