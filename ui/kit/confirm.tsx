import type { FormEvent, ReactNode } from 'react';
import { Dialog, Refused } from './kit.tsx';
import { closing, useOrder } from './order.tsx';
import type { Said } from './toasts.tsx';

type Asked<T> = {
  /** The question, such as "Drop 3 dead letters?" */
  readonly title: string;
  /** What will happen, exactly, or the fields that say it. */
  readonly children: ReactNode;
  readonly action: string;
  readonly isDanger?: boolean;
  readonly isWide?: boolean;
  /** What is missing before it can be ordered is still to be said. */
  readonly isIncomplete?: boolean;
  readonly leave?: string;
  /** Gives the order, by the fields of the dialog that have names. */
  readonly does: (form: FormData) => Promise<T>;
  readonly done: Said<T>;
  readonly onClose: () => void;
};

/**
 * Asks before something is done: by what it says, or by its fields. The order is given once, however often a person
 * presses, and the dialog closes once that is done. Where something is taken away, what leaves it has the focus.
 */
export function Confirm<T>({ title, children, action, does, done, onClose, leave = 'Cancel', ...is }: Asked<T>) {
  const { isBusy, error, order } = useOrder();
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    void order(() => does(form), closing(onClose, done));
  };
  const leaves = (
    <button type="button" onClick={onClose}>
      {leave}
    </button>
  );
  return (
    <Dialog label={title} onClose={onClose} isWide={is.isWide ?? false}>
      <form onSubmit={submit}>
        <h2>{title}</h2>
        {children}
        <Refused error={error} />
        <div className="actions">
          {is.isDanger && leaves}
          <button type="submit" className={is.isDanger ? 'danger' : 'primary'} disabled={is.isIncomplete} aria-disabled={isBusy}>
            {action}
          </button>
          {!is.isDanger && leaves}
        </div>
      </form>
    </Dialog>
  );
}
