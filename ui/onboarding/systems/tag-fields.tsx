import { Field } from '../../kit/kit.tsx';
import type { Suggestion } from './groups.ts';
import { badTags } from './labels.ts';
import type { Labels } from './use-labels.ts';

type Props = { readonly labels: Labels; readonly suggestions: readonly Suggestion[] };

/** Tags and groups, between spaces, and the tags that the machines suggest as buttons. */
export function TagFields({ labels, suggestions }: Props) {
  const { text, set, tags, groups, ownTags } = labels;
  const hintOf = (words: readonly string[]): string | undefined => {
    const bad = badTags(words);
    return bad.length === 0 ? undefined : `${bad.join(', ')}: letters, digits and ._:/- only, a letter or digit first, 64 at most`;
  };
  return (
    <>
      <Field label="Tags" hint={hintOf(tags)}>
        {(id) => (
          <input
            id={id}
            value={text.tags}
            onChange={(event) => set({ tags: event.target.value })}
            placeholder="web frontend"
            autoComplete="off"
            spellCheck={false}
            aria-invalid={hintOf(tags) !== undefined}
          />
        )}
      </Field>
      <TagButtons suggestions={suggestions} labels={labels} />
      <label className="check">
        <input type="checkbox" checked={ownTags} onChange={(event) => set({ ownTags: event.target.checked })} /> Each also gets the tags
        that it suggests
      </label>
      <Field label="Groups" hint={hintOf(groups)}>
        {(id) => (
          <input
            id={id}
            value={text.groups}
            onChange={(event) => set({ groups: event.target.value })}
            autoComplete="off"
            spellCheck={false}
            aria-invalid={hintOf(groups) !== undefined}
          />
        )}
      </Field>
    </>
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
