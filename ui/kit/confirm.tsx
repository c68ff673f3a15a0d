import type { ReactNode } from 'react';
import { Copied } from './copied.tsx';
import { Dialog, Refused } from './kit.tsx';
import { closing, useOrder } from './order.tsx';

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
  const { isBusy, error, order } = useOrder();
  return (
    <Dialog label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
      <Refused error={error} />
      <div className="actions">
        <button
          type="button"
          className={isDanger ? 'danger' : 'primary'}
          disabled={isBusy}
          onClick={() => void order(does, closing(onClose, done))}
        >
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

/** Shows a secret that appears once, with a button that copies it; nothing but the person's word closes it. */
export const ShownOnce = ({ title, secret, children, onClose }: Secret) => (
  <Dialog label={title} onClose={onClose} isFirm>
    <h2>{title}</h2>
    <p className="note">This is the only time that it is shown: Muster keeps no copy of it.</p>
    <Copied label="Secret" text={secret} />
    {children}
    <div className="actions">
      <button type="button" className="primary" onClick={onClose}>
        I have it
      </button>
    </div>
  </Dialog>
);
