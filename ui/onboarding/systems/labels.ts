const tagForm = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/;

/** The words of a text, between spaces or commas, each once. */
export const wordsIn = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))];
/** The words that cannot be tags: one is 1 to 64 letters, digits or ._:/- and begins with a letter or digit. */
export const badTags = (words: readonly string[]): string[] => words.filter((word) => !tagForm.test(word));
/** A list of words with one more, or without it when it was there. */
export const withWord = (words: readonly string[], word: string): string[] =>
  words.includes(word) ? words.filter((one) => one !== word) : [...words, word];
