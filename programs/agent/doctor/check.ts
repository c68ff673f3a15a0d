/** The result of one check. `unknown`: the doctor cannot find out, which does not count as missing. */
export type Check = {
  readonly check: string;
  readonly is: 'well' | 'missing' | 'unknown';
  readonly says: string;
  /** What to do about it. */
  readonly mend?: string;
};

/** A check that found no fault. */
export const well = (check: string, says: string): Check => ({ check, is: 'well', says });
/** A check that found a fault, and how to fix it. */
export const missing = (check: string, says: string, mend: string): Check => ({ check, is: 'missing', says, mend });
/** A check without a result, and why. */
export const unknown = (check: string, says: string): Check => ({ check, is: 'unknown', says });

/** The checks as lines, one each, aligned. */
export function checkLines(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ check }) => check.length));
  return checks
    .map(({ check, is, says, mend }) => `${is.padEnd(7)}  ${check.padEnd(width)}  ${[says, mend].filter(Boolean).join('; ')}`)
    .map((line) => `${line.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')}\n`)
    .join('');
}
