import { type FormEvent, type ReactNode, useRef, useState } from 'react';
import { Refused } from './kit.tsx';
import { say } from './toasts.tsx';

/**
 * An order that is given in a dialog: whether it is under way, and why it was refused. The reason stands in the dialog,
 * since a toast would stand behind it, where nobody reads it out.
 */
export function useOrder() {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  // A second press may come before the button is drawn as one that cannot be pressed.
  const isUnderWay = useRef(false);
  /** Gives the order, unless one is under way, and says what came of it; gives whether it was done. */
  const order = async <T,>(does: () => Promise<T>, done: string | ((result: T) => string)): Promise<boolean> => {
    if (isUnderWay.current) return false;
    isUnderWay.current = true;
    setBusy(true);
    setError(undefined);
    try {
      const result = await does();
      say(typeof done === 'string' ? done : done(result));
      return true;
    } catch (refused) {
      setError(refused);
      return false;
    } finally {
      isUnderWay.current = false;
      setBusy(false);
    }
  };
  return { isBusy, error, order };
}

/**
 * What is said once an order is done, which closes its dialog first: a secret that is then shown has a dialog of its own,
 * and the focus returns to what opened this one.
 */
export const closing =
  <T,>(onClose: () => void, done: string | ((result: T) => string)) =>
  (result: T): string => {
    onClose();
    return typeof done === 'string' ? done : done(result);
  };

type Props<T> = {
  readonly action: string;
  readonly does: (form: FormData) => Promise<T>;
  readonly done: string | ((result: T) => string);
  readonly onClose: () => void;
  readonly children: ReactNode;
};

/** A form in a dialog. It is sent once, however often a person presses, and closes once that is done. */
export function OrderForm<T>({ action, does, done, onClose, children }: Props<T>) {
  const { isBusy, error, order } = useOrder();
  const submit = async (event: FormEvent<HTMLFormElement>): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    await order(() => does(form), closing(onClose, done));
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      {children}
      <Refused error={error} />
      <div className="actions">
        <button type="submit" className="primary" disabled={isBusy}>
          {action}
        </button>
        <button type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** Items of a line that a person has typed, separated by commas or spaces. */
export const itemsIn = (form: FormData, name: string): readonly string[] =>
  String(form.get(name) ?? '')
    .split(/[\s,]+/)
    .filter(Boolean);
