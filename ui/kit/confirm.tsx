import type { ReactNode } from 'react';
import { Dialog, Refused } from './kit.tsx';
import { closing, useOrder } from './order.tsx';

type Order<T> = {
  /** The question, such as "Drop 3 dead letters?" */
  readonly title: string;
  /** What will happen, exactly. */
  readonly children: ReactNode;
  readonly action: string;
  readonly isDanger?: boolean;
  readonly isWide?: boolean;
  /** What is missing before it can be ordered is still to be said. */
  readonly isIncomplete?: boolean;
  readonly leave?: string;
  readonly does: () => Promise<T>;
  readonly done: string | ((result: T) => string);
  readonly onClose: () => void;
};

/** Asks before something is done, and says exactly what will happen. It closes once that is done. */
export function Confirm<T>({ title, children, action, does, done, onClose, leave = 'Cancel', ...is }: Order<T>) {
  const { isBusy, error, order } = useOrder();
  return (
    <Dialog label={title} onClose={onClose} isWide={is.isWide ?? false}>
      <h2>{title}</h2>
      {children}
      <Refused error={error} />
      <div className="actions">
        <button
          type="button"
          className={is.isDanger ? 'danger' : 'primary'}
          disabled={isBusy || is.isIncomplete}
          onClick={() => void order(does, closing(onClose, done))}
        >
          {action}
        </button>
        <button type="button" onClick={onClose}>
          {leave}
        </button>
      </div>
    </Dialog>
  );
}
