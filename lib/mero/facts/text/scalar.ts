const words: ReadonlyMap<string, boolean | null> = new Map([
  ...['null', 'Null', 'NULL', '~'].map((word) => [word, null] as const),
  ...['true', 'True', 'TRUE'].map((word) => [word, true] as const),
  ...['false', 'False', 'FALSE'].map((word) => [word, false] as const),
]);
const whole = /^[-+]?\d+$/;
const otherBase = /^0(o[0-7]+|x[\da-fA-F]+)$/;
const broken = /^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/;
const noNumber = /^([-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$/;

/**
 * The value of a word without quotes in YAML 1.2 (core schema, section 10.3.2): null, a boolean, a number, or the word
 * itself.
 */
export function resolved(word: string): string | number | boolean | null {
  const first = word.charCodeAt(0);
  // Only a word that begins with a digit, a sign or a dot can be a number, and only a few letters begin another special
  // word.
  if ((first >= 0x30 && first <= 0x39) || first === 0x2d || first === 0x2b || first === 0x2e) return numberOf(word);
  const meant = word.length <= 5 ? words.get(word) : undefined;
  return meant === undefined ? word : meant;
}

function numberOf(word: string): string | number {
  if (whole.test(word) || otherBase.test(word) || broken.test(word)) return Number(word);
  if (!noNumber.test(word)) return word;
  return /nan/i.test(word) ? Number.NaN : word.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}
