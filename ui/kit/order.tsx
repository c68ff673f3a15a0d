import { type ButtonHTMLAttributes, useEffect, useRef, useState } from 'react';
import { doing, type Said, say, sayWhy } from './toasts.tsx';

/** Does one thing at a time: what is asked for while another is under way is not done, and gives undefined. */
export function useOnce() {
  const [isBusy, setBusy] = useState(false);
  // A second press may come before the button is drawn as one that cannot be pressed.
  const isUnderWay = useRef(false);
  const once = async <T,>(does: () => Promise<T>): Promise<T | undefined> => {
    if (isUnderWay.current) return undefined;
    isUnderWay.current = true;
    setBusy(true);
    try {
      return await does();
    } finally {
      isUnderWay.current = false;
      setBusy(false);
    }
  };
  return { isBusy, once };
}

/**
 * An order that is given in a dialog: whether it is under way, and why it was refused. The reason stands in the dialog,
 * since a toast would stand behind it, where nobody reads it out; it is a toast once the dialog is closed.
 */
export function useOrder() {
  const { isBusy, once } = useOnce();
  const [error, setError] = useState<unknown>();
  const isClosed = useRef(false);
  useEffect(() => {
    isClosed.current = false;
    return () => {
      isClosed.current = true;
    };
  }, []);
  /** Gives the order, unless one is under way, and says what came of it; `forget` is for when another is asked for. */
  const order = <T,>(does: () => Promise<T>, done: Said<T>): Promise<void> =>
    once(async () => {
      setError(undefined);
      try {
        const result = await does();
        say(typeof done === 'string' ? done : done(result));
      } catch (refused) {
        if (isClosed.current) sayWhy(refused);
        else setError(refused);
      }
    });
  return { isBusy, error, order, forget: () => setError(undefined) };
}

/**
 * What is said once an order is done, which closes its dialog first: a secret that is then shown has a dialog of its
 * own, and the focus returns to what opened this one.
 */
export const closing =
  <T,>(onClose: () => void, done: Said<T>) =>
  (result: T): string | undefined => {
    onClose();
    return typeof done === 'string' ? done : done(result);
  };

type ButtonProps<T> = Pick<ButtonHTMLAttributes<HTMLButtonElement>, 'className' | 'children'> & {
  readonly does: () => Promise<T>;
  readonly done: Said<T>;
};

/**
 * A button that gives an order at once, where nothing has to be asked before. The order is given once, however often a
 * person presses; what came of it is said in a line that goes by itself.
 */
export function OrderButton<T>({ does, done, ...rest }: ButtonProps<T>) {
  const { isBusy, once } = useOnce();
  // One that is disabled loses the focus, and with it the place of who goes by keys.
  return <button type="button" aria-disabled={isBusy} onClick={() => void once(() => doing(does(), done))} {...rest} />;
}

/** Items of a line that a person has typed, separated by commas or spaces. */
export const itemsIn = (form: FormData, name: string): readonly string[] =>
  String(form.get(name) ?? '')
    .split(/[\s,]+/)
    .filter(Boolean);
