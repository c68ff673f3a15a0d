import { useEffect, useRef } from 'react';

/** What keys do, by their name: `j`, `Escape`, `?`; with Control or Command before it, `mod+k`. */
export type Keys = Readonly<Record<string, (event: KeyboardEvent) => void>>;

const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches('input:not([type=checkbox]):not([type=radio]):not([type=range]), textarea, select, [contenteditable]');

/**
 * Keys for the whole page, while the component is shown. While somebody writes, only Escape and those with `mod` count.
 */
export function useKeys(keys: Keys): void {
  const now = useRef(keys);
  useEffect(() => {
    now.current = keys;
  });
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (event.altKey || event.defaultPrevented) return;
      const name = event.ctrlKey || event.metaKey ? `mod+${event.key}` : event.key;
      if (isWriting(event.target) && !name.startsWith('mod+') && name !== 'Escape') return;
      if (document.querySelector('dialog[open]') !== null && !name.startsWith('mod+')) return;
      const does = now.current[name];
      if (does === undefined) return;
      event.preventDefault();
      does(event);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}
