import { useSyncExternalStore } from 'react';
import { Problem } from '../api/call.ts';

/** What was just done or refused, in a line that goes by itself. */
type Toast = { readonly id: number; readonly text: string; readonly isBad: boolean };

const shownMs = { good: 5_000, bad: 12_000 } as const;

class Toasts {
  #toasts: readonly Toast[] = [];
  #last = 0;
  readonly #listeners = new Set<() => void>();

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
  list = (): readonly Toast[] => this.#toasts;

  show(text: string, isBad: boolean): void {
    const id = ++this.#last;
    this.#set([...this.#toasts.slice(-3), { id, text, isBad }]);
    setTimeout(() => this.#set(this.#toasts.filter((one) => one.id !== id)), isBad ? shownMs.bad : shownMs.good);
  }

  #set(toasts: readonly Toast[]): void {
    this.#toasts = toasts;
    for (const listener of this.#listeners) listener();
  }
}

const toasts = new Toasts();

/** What is said once something is done: a text, or one by what came of it; nothing where that is shown anyway. */
export type Said<T> = string | ((result: T) => string | undefined);

/** Says that something was done, unless there is nothing to say. */
export const say = (text: string | undefined): void => {
  if (text !== undefined) toasts.show(text, false);
};
/** Says why something was not done, in the server's words. */
export const sayWhy = (error: unknown): void =>
  toasts.show(error instanceof Problem || error instanceof Error ? error.message : String(error), true);

/** Does something that a person asked for, and says how it went; gives whether it was done. */
export async function doing<T>(what: Promise<T>, done: Said<T>): Promise<boolean> {
  try {
    const result = await what;
    say(typeof done === 'string' ? done : done(result));
    return true;
  } catch (error) {
    sayWhy(error);
    return false;
  }
}

/** The lines that are shown now, in a corner of the page. */
export function ToastList() {
  const list = useSyncExternalStore(toasts.subscribe, toasts.list);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {list.map(({ id, text, isBad }) => (
        <p key={id} className={isBad ? 'bad' : ''}>
          {text}
        </p>
      ))}
    </div>
  );
}
