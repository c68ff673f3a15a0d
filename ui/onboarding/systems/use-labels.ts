import { useState } from 'react';

/** What the machines are accepted with. */
export type Labels = {
  readonly zone: string | undefined;
  readonly tags: readonly string[];
  readonly groups: readonly string[];
  readonly ownTags: boolean;
  /** The tags as they are being written. */
  readonly text: { readonly tags: string; readonly groups: string };
  readonly set: (change: Partial<Written>) => void;
  readonly toggleTag: (tag: string) => void;
};

type Written = { readonly zone: string | undefined; readonly tags: string; readonly groups: string; readonly ownTags: boolean };

const tagForm = /^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/;

/** The words of a text, between spaces or commas, each once. */
export const wordsIn = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))];
/** The words that cannot be tags: one is 1 to 64 letters, digits or ._:/- and begins with a letter or digit. */
export const badTags = (words: readonly string[]): string[] => words.filter((word) => !tagForm.test(word));
/** A list of words with one more, or without it when it was there. */
export const withWord = (words: readonly string[], word: string): string[] =>
  words.includes(word) ? words.filter((one) => one !== word) : [...words, word];

/** Zone, tags and groups as an operator chooses them; they stay for the next machines. */
export function useLabels(): Labels {
  const [written, setWritten] = useState<Written>({ zone: undefined, tags: '', groups: '', ownTags: false });
  const tags = wordsIn(written.tags);
  const set = (change: Partial<Written>): void => setWritten({ ...written, ...change });
  return {
    zone: written.zone,
    tags,
    groups: wordsIn(written.groups),
    ownTags: written.ownTags,
    text: { tags: written.tags, groups: written.groups },
    set,
    toggleTag: (tag) => set({ tags: withWord(tags, tag).join(' ') }),
  };
}
