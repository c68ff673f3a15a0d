import { type ReactNode, useState } from 'react';
import { Dialog } from './kit.tsx';
import { doing, say } from './toasts.tsx';

type Order<T> = {
  /** The question, such as "Drop 3 dead letters?" */
  readonly title: string;
  /** What will happen, exactly. */
  readonly children: ReactNode;
  readonly action: string;
  readonly isDanger?: boolean;
  readonly does: () => Promise<T>;
  readonly done: string | ((result: T) => string);
  readonly onClose: () => void;
};

/** Asks before something is done, and says exactly what will happen. It closes once that is done. */
export function Confirm<T>({ title, children, action, isDanger = false, does, done, onClose }: Order<T>) {
  const [isBusy, setBusy] = useState(false);
  const order = async (): Promise<void> => {
    setBusy(true);
    const isDone = await doing(does(), done);
    setBusy(false);
    if (isDone) onClose();
  };
  return (
    <Dialog label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
      <div className="actions">
        <button type="button" className={isDanger ? 'danger' : 'primary'} disabled={isBusy} onClick={() => void order()}>
          {action}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </Dialog>
  );
}

type Secret = { readonly title: string; readonly secret: string; readonly children?: ReactNode; readonly onClose: () => void };

/** Shows a secret that appears once, with a button that copies it. */
export function ShownOnce({ title, secret, children, onClose }: Secret) {
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(secret);
    say('Copied');
  };
  return (
    <Dialog label={title} onClose={onClose}>
      <h2>{title}</h2>
      <p>This is shown once. Keep it where secrets are kept.</p>
      <p className="mono secret">{secret}</p>
      {children}
      <div className="actions">
        <button type="button" className="primary" onClick={() => void copy()}>
          Copy
        </button>
        <button type="button" onClick={onClose}>
          I have it
        </button>
      </div>
    </Dialog>
  );
}
