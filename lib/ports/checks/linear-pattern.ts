import { RE2JS } from 're2js';

/** How long one pattern of a schema may be, in characters, and how many patterns a schema may have. */
export const patternMax = 1_024;
export const patternsMax = 256;

/** Patterns that are ready to be matched, by their text. */
export type LinearPatterns = ReadonlyMap<string, { test(text: string): boolean }>;

/**
 * A pattern of ECMA-262, compiled by RE2, which matches in time linear in the text whatever the pattern is. Throws an
 * Error that names what RE2 does not take: lookarounds and backreferences cannot be matched in linear time.
 */
export function linearPattern(pattern: string): { test(text: string): boolean } {
  if (pattern.length > patternMax) throw new Error(`${pattern.length} characters; the limit is ${patternMax}`);
  new RegExp(pattern, 'u');
  // RE2JS would read a named backreference as plain characters.
  if ([...pattern.matchAll(/\\(.)/gsu)].some(([, escaped]) => escaped === 'k')) throw new Error('a backreference');
  const engine = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { test: (text) => engine.test(text) };
}

/**
 * Gives the result of the work, which makes its patterns by the global RegExp and can match only these. The validator
 * takes no engine as an argument, so this one replaces RegExp meanwhile. The work must be synchronous, so that nothing
 * else runs meanwhile.
 */
export function withLinearPatterns<T>(patterns: LinearPatterns, work: () => T): T {
  const Native = globalThis.RegExp;
  class Linear {
    readonly #pattern: string;
    constructor(pattern: string, flags?: string) {
      new Native(pattern, flags);
      this.#pattern = pattern;
    }
    test(text: string): boolean {
      const compiled = patterns.get(this.#pattern);
      if (!compiled) throw new Error(`the pattern ${JSON.stringify(this.#pattern.slice(0, 100))} was not compiled`);
      return compiled.test(text);
    }
  }
  globalThis.RegExp = Linear as unknown as RegExpConstructor;
  try {
    return work();
  } finally {
    globalThis.RegExp = Native;
  }
}
