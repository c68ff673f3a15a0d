import { RE2JS } from 're2js';

/** The longest regular expression, in characters. Compiling one this long takes RE2 some 60 ms at the very most. */
export const regexMax = 256;
/**
 * The largest program of one, in RE2's instructions: up to 500 its fastest engines are in use, and `.{9999}` is not.
 */
export const regexProgramMax = 500;

/** A regular expression that is ready to be matched. */
export type Regex = { test(value: string): boolean };

/**
 * A pattern, compiled by RE2, which finds a match in time linear in the value, whatever the pattern is. `folds`: upper
 * and lower case are the same. For a pattern that RE2 does not take (lookarounds, backreferences), or that exceeds a
 * limit, it says why.
 */
export function readRegex(pattern: string, { folds }: { readonly folds: boolean }): Regex | { readonly fault: string } {
  if (pattern.length > regexMax) return { fault: `it has ${pattern.length} characters, more than ${regexMax}` };
  try {
    const compiled = RE2JS.compile(pattern, folds ? RE2JS.CASE_INSENSITIVE : 0);
    if (compiled.programSize() > regexProgramMax) return { fault: 'it repeats too much' };
    return { test: (value) => compiled.test(value) };
  } catch (error) {
    // RE2 throws for every pattern that it does not take; anything else would be a fault of ours.
    if (error instanceof Error && error.name.startsWith('RE2JS')) return { fault: faultOf(error.message) };
    throw error;
  }
}

/** What RE2 says, without its prefix and without the flags that we put before the pattern. */
const faultOf = (message: string): string => message.replace(/^error parsing regexp: /, '').replace('`(?i)', '`');
