/**
 * A fingerprint as a person compares it: lines of 16 digits in two groups of 8, each in pairs. A group is what people
 * read out to each other.
 */
export function linesOf(fp: string): readonly (readonly (readonly string[])[])[] {
  const pairs = fp.replaceAll(':', '').match(/../g) ?? [];
  const groups = parts(pairs, 4);
  return parts(groups, 2);
}

function parts<T>(list: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, n) => list.slice(n * size, (n + 1) * size));
}

/** How many digits are typed to confirm what cannot be undone. */
export const confirmDigits = 8;

/** Whether a person has typed the first digits of a fingerprint, with or without colons, in capitals or not. */
export const confirms = (typed: string, fp: string): boolean => typed.replace(/[\s:]/g, '').toLowerCase() === fp.slice(0, confirmDigits);
