import { useRef, useState } from 'react';

/** A text with a button that copies it. Where the browser lets no page copy, the text is selected for the person to. */
export function Copied({ label, text }: { readonly label: string; readonly text: string }) {
  const shown = useRef<HTMLElement>(null);
  const [done, setDone] = useState<string>();
  const select = (): void => {
    if (shown.current) getSelection()?.selectAllChildren(shown.current);
    setDone('selected: copy it by key');
  };
  const copy = async (): Promise<void> => {
    if (navigator.clipboard === undefined) return select();
    try {
      await navigator.clipboard.writeText(text);
      setDone('copied');
    } catch (error) {
      // The person or the browser forbade it, which is no mistake of the page.
      if (!(error instanceof DOMException)) throw error;
      select();
    }
  };
  return (
    <div className="copied">
      <span className="soft">{label}</span>
      <code ref={shown}>{text}</code>
      <button type="button" onClick={() => void copy()} aria-label={`Copy: ${label}`}>
        Copy
      </button>
      <span role="status" className="soft">
        {done}
      </span>
    </div>
  );
}
