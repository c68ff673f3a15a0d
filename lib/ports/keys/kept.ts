import { Later } from '../../core/errors.ts';
import type { EpochMs } from '../../core/time.ts';

/** Something read from a service, kept for a while so that not every call pays for it. */
export type Kept<T> = {
  /**
   * What was read no longer ago than this; read again otherwise. What was read before stays in use while the service
   * does not answer.
   */
  readonly within: (ageMs: number) => Promise<T>;
  /** The same without waiting: undefined when it would be read again. */
  readonly known: (ageMs: number) => T | undefined;
  /** Has it read again when somebody asks. */
  readonly forget: () => void;
};

/**
 * Keeps what `read` gives. Rejects as it does: always when nothing was ever read, later on only for what is not
 * transient.
 */
export function kept<T extends object>(read: () => Promise<T>, now: () => EpochMs): Kept<T> {
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
