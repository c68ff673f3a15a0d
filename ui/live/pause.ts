/** A signal that never aborts, for what nobody interrupts. */
const never = new AbortController().signal;

/** Resolves after `ms`, or when `signal` aborts. */
export const pause = (ms: number, signal: AbortSignal = never): Promise<void> =>
  until(signal, (done) => {
    const timer = setTimeout(done, ms);
    return () => clearTimeout(timer);
  });

/** Resolves once the page can be seen, or when `signal` aborts. */
export const seen = (signal: AbortSignal): Promise<void> =>
  until(signal, (done) => {
    const look = (): void => {
      if (!document.hidden) done();
    };
    document.addEventListener('visibilitychange', look);
    look();
    return () => document.removeEventListener('visibilitychange', look);
  });

/** Resolves when what `begin` begins is done, or when `signal` aborts; nothing of it is left then. */
function until(signal: AbortSignal, begin: (done: () => void) => () => void): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  const { promise, resolve } = Promise.withResolvers<void>();
  const aborted = (): void => resolve();
  signal.addEventListener('abort', aborted);
  const end = begin(resolve);
  return promise.finally(() => {
    signal.removeEventListener('abort', aborted);
    end();
  });
}
