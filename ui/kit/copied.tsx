import { type ReactNode, type RefObject, useRef, useState } from 'react';

type Props = {
  readonly label: string;
  readonly text: string;
  /** The text as it is shown, where that is not as it is copied. */
  readonly children?: ReactNode;
};

/** A text with a button that copies it. Where the browser lets no page copy, the text is selected for the person to. */
export function Copied({ label, text, children }: Props) {
  const shown = useRef<HTMLDivElement>(null);
  const { copy, done } = useCopy(shown, text);
  return (
    <div className="copied">
      <span className="soft">{label}</span>
      <div ref={shown}>{children ?? <code>{text}</code>}</div>
      <button type="button" onClick={() => void copy()} aria-label={`Copy: ${label}`}>
        Copy
      </button>
      <span role="status" className="soft">
        {done}
      </span>
    </div>
  );
}

/** Copies a text; `done` says how that went. */
function useCopy(shown: RefObject<HTMLElement | null>, text: string) {
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
  return { copy, done };
}
