import { Field } from '../../kit/kit.tsx';
import type { Suggestion } from './groups.ts';
import { badTags } from './labels.ts';
import type { Labels } from './use-labels.ts';

type Props = { readonly labels: Labels; readonly suggestions: readonly Suggestion[] };

/** Tags and groups, between spaces, and the tags that the machines suggest as buttons. */
export function TagFields({ labels, suggestions }: Props) {
  const { text, set, tags, groups, ownTags } = labels;
  return (
    <>
      <WordsField label="Tags" text={text.tags} words={tags} placeholder="web frontend" onText={(next) => set({ tags: next })} />
      <TagButtons suggestions={suggestions} labels={labels} />
      <label className="check">
        <input type="checkbox" checked={ownTags} onChange={(event) => set({ ownTags: event.target.checked })} /> Each also gets the tags
        that it suggests
      </label>
      <WordsField label="Groups" text={text.groups} words={groups} onText={(next) => set({ groups: next })} />
    </>
  );
}

type WordsProps = {
  readonly label: string;
  readonly text: string;
  readonly words: readonly string[];
  readonly placeholder?: string;
  readonly onText: (text: string) => void;
};

/** A field for words; it says which of them cannot be tags or groups. */
function WordsField({ label, text, words, placeholder, onText }: WordsProps) {
  const bad = badTags(words);
  const hint = bad.length === 0 ? undefined : `${bad.join(', ')}: letters, digits and ._:/- only, a letter or digit first, 64 at most`;
  return (
    <Field label={label} hint={hint}>
      {(id) => (
        <input
          id={id}
          value={text}
          onChange={(event) => onText(event.target.value)}
          placeholder={placeholder}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={bad.length > 0}
        />
      )}
    </Field>
  );
}

/** Suggested tags as buttons: pressed when those that are picked are accepted with it. */
export const TagButtons = ({ suggestions, labels }: { readonly suggestions: readonly Suggestion[]; readonly labels: Labels }) => (
  <span className="tag-buttons">
    {suggestions.map(({ tag, n }) => (
      <button
        key={tag}
        type="button"
        className="chip"
        aria-pressed={labels.tags.includes(tag)}
        title={n === 0 ? 'the word that their names begin with' : `${n} suggest it`}
        onClick={() => labels.toggleTag(tag)}
      >
        {labels.tags.includes(tag) ? '✓' : '+'} {tag}
      </button>
    ))}
  </span>
);
