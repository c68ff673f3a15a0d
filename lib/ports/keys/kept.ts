import { Later } from '../../core/errors.ts';
import type { EpochMs } from '../../core/time.ts';

/** A value read from a service, cached for a while so that not every call pays for it. */
export type CachedRead<T> = {
  /**
   * The value, if it is younger than this; it is read again otherwise. An older value stays in use while the service
   * does not answer.
   */
  readonly within: (ageMs: number) => Promise<T>;
  /** The value without waiting: undefined when it would be read again. */
  readonly known: (ageMs: number) => T | undefined;
  /** Makes the next call read the value again. */
  readonly forget: () => void;
};

/**
 * Caches the value of `read`. Rejects as `read` does: always when nothing was ever read, later only for failures that
 * are not transient.
 */
export function cachedRead<T extends object>(read: () => Promise<T>, now: () => EpochMs): CachedRead<T> {
  let last: { readonly answer: Promise<T>; readonly at: EpochMs } | undefined;
  let good: T | undefined;
  return {
    within: async (ageMs) => {
      if (!last || now() - last.at >= ageMs) last = { answer: read(), at: now() };
      try {
        good = await last.answer;
      } catch (error) {
        if (!good || !(error instanceof Later)) {
          last = undefined;
          throw error;
        }
      }
      return good;
    },
    known: (ageMs) => (last && now() - last.at < ageMs ? good : undefined),
    forget: () => {
      last = undefined;
    },
  };
}
