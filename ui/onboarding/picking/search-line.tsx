import { type KeyboardEvent, type ReactNode, useRef } from 'react';
import { go } from '../../router.tsx';

type Props = {
  readonly search: Readonly<Record<string, string>>;
  readonly hint: string;
  /** What else narrows or orders the list. */
  readonly children?: ReactNode;
};

/** The filter of a list, which is in the address; the page's key / leads to it, and Escape or Enter back to the list. */
export function SearchLine({ search, hint, children }: Props) {
  const input = useRef<HTMLInputElement>(null);
  const set = (q: string): void => go('/onboarding', { ...search, q }, { replace: true });
  const leave = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' && event.key !== 'Enter') return;
    if (event.key === 'Escape') set('');
    input.current?.blur();
  };
  return (
    <search className="search-line">
      <input
        ref={input}
        type="search"
        aria-label="Filter"
        placeholder={hint}
        value={search['q'] ?? ''}
        onChange={(event) => set(event.target.value)}
        onKeyDown={leave}
        autoComplete="off"
        spellCheck={false}
      />
      {children}
    </search>
  );
}
