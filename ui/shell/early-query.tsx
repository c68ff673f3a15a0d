import { useEffect, useRef } from 'react';

/** The box in which one filters or searches, if the view that is there has one. */
const boxNow = (): HTMLInputElement | null => document.querySelector('#query, #main search input');

/** Puts the cursor into the box of the view; gives whether there is one. */
export function focusBox(): boolean {
  const box = boxNow();
  box?.focus();
  box?.select();
  return box !== null;
}

/** Hands a text over to the box of the view, as if it had been typed there; the cursor goes on behind it. */
function handOver(text: string, box: HTMLInputElement): void {
  box.focus();
  box.select();
  if (text === '') return;
  box.setRangeText(text, 0, box.value.length, 'end');
  box.dispatchEvent(new Event('input', { bubbles: true }));
}

/**
 * A line that takes what a person types while the view that they want to search is loaded, and hands it over as soon as
 * the box of that view is there.
 */
export function EarlyQuery({ onDone }: { readonly onDone: () => void }) {
  const line = useRef<HTMLInputElement>(null);
  const done = useRef(onDone);
  done.current = onDone;
  useEffect(() => {
    line.current?.focus();
    let frame = 0;
    const look = (): void => {
      const box = boxNow();
      if (box === null || line.current === null) {
        frame = requestAnimationFrame(look);
        return;
      }
      handOver(line.current.value, box);
      done.current();
    };
    look();
    return () => cancelAnimationFrame(frame);
  }, []);
  return (
    <div className="early query">
      <input ref={line} type="search" aria-label="Search client systems" autoComplete="off" spellCheck={false} />
    </div>
  );
}
