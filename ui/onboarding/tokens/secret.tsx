import { useRef, useState } from 'react';
import { Dialog } from '../../kit/kit.tsx';

type Props = { readonly title: string; readonly secret: string; readonly command: string; readonly onClose: () => void };

/** A secret that was made just now, and the command that uses it: it is shown this once. */
export const Secret = ({ title, secret, command, onClose }: Props) => (
  <Dialog label={title} onClose={() => undefined}>
    <h2>{title}</h2>
    <p className="note">This is the only time that its secret is shown: Muster keeps no copy of it.</p>
    <Copied label="Secret" text={secret} />
    <Copied label="The command that uses it" text={command} />
    <div className="actions">
      <button type="button" className="primary" onClick={onClose}>
        I have it
      </button>
    </div>
  </Dialog>
);

/** A text with a button that copies it. Where the browser lets no page copy, the text is selected for the person to. */
function Copied({ label, text }: { readonly label: string; readonly text: string }) {
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
