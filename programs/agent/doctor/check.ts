/** One thing that was looked at. `unknown`: it cannot be told from here, and counts as nothing that is missing. */
export type Check = {
  readonly check: string;
  readonly is: 'well' | 'missing' | 'unknown';
  readonly says: string;
  /** What to do about it. */
  readonly mend?: string;
};

/** Something that is as it should be. */
export const well = (check: string, says: string): Check => ({ check, is: 'well', says });
/** Something that is not, and what mends it. */
export const missing = (check: string, says: string, mend: string): Check => ({ check, is: 'missing', says, mend });
/** Something of which nothing can be said, and why. */
export const unknown = (check: string, says: string): Check => ({ check, is: 'unknown', says });

/** The checks as lines, one each, aligned. */
export function checkLines(checks: readonly Check[]): string {
  const width = Math.max(...checks.map(({ check }) => check.length));
  return checks
    .map(({ check, is, says, mend }) => `${is.padEnd(7)}  ${check.padEnd(width)}  ${[says, mend].filter(Boolean).join('; ')}`)
    .map((line) => `${line.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')}\n`)
    .join('');
}
