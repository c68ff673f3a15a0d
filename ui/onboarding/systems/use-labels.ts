import { useState } from 'react';
import { withWord, wordsIn } from './labels.ts';

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
