/** Listeners for something, and the function that notifies them all. */
export type Listeners<T extends readonly unknown[]> = {
  /** Calls the listener from now on, until the returned function is called. */
  readonly watch: (listener: (...args: T) => void) => () => void;
  readonly tell: (...args: T) => void;
};

/** An empty set of listeners. */
export function listeners<T extends readonly unknown[]>(): Listeners<T> {
  const all = new Set<(...args: T) => void>();
  return {
    watch: (listener) => {
      all.add(listener);
      return () => void all.delete(listener);
    },
    tell: (...args) => {
      for (const listener of all) listener(...args);
    },
  };
}
