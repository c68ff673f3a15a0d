import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import type { Config } from './config.ts';
import { GivenConfig } from './configuration.ts';

/** Where failing histories are kept. */
export const regressionsFile = join(import.meta.dirname, 'regressions.json');

/** A history that failed once, and so is run before all others from then on. */
export const Regression = z.strictObject({
  config: GivenConfig,
  /** What it broke. */
  invariant: z.string(),
  /** When it was found, as a date. */
  found: z.iso.date(),
  /** What was seen then; what the mistake was, once somebody knows. */
  note: z.string(),
});
export type Regression = z.infer<typeof Regression>;

/**
 * The regressions of a file, none when there is no such file. Throws, with the file and what is wrong in it, when it
 * does not hold regressions.
 */
export function readRegressions(file: string): Regression[] {
  if (!existsSync(file)) return [];
  try {
    return z.array(Regression).parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (error) {
    throw new Error(`${file} holds no list of regressions`, { cause: error });
  }
}

/** Adds one to a file, unless the same configuration is in it for the same invariant; gives whether it was added. */
export function addRegression(file: string, regression: Regression): boolean {
  const known = readRegressions(file);
  if (known.some((one) => isSame(one, regression))) return false;
  writeFileSync(file, `${JSON.stringify([...known, regression], null, 2)}\n`);
  return true;
}

/** A failing configuration as it is kept. `at` is when it was found. */
export const regressionOf = (config: Config, { invariant, what }: { invariant: string; what: string }, at: Date): Regression => ({
  config: GivenConfig.parse(config),
  invariant,
  found: at.toISOString().slice(0, 10),
  note: oneLine(what),
});

const isSame = (a: Regression, b: Regression): boolean =>
  a.invariant === b.invariant && JSON.stringify(a.config) === JSON.stringify(b.config);

/** The beginning of what was seen: it may hold whole rows. */
const oneLine = (what: string): string => {
  const line = what.replaceAll(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
};
