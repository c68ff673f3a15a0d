import { Unusable } from '../../../lib/machine/command-line.ts';
import { NotOurs } from '../../../lib/machine/own.ts';

/** What a step gave; or why not, in words for an operator. */
export type Tried<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string; readonly code?: string };

/** Takes a step that may fail for what an operator can mend: a file or folder. Throws whatever else the step throws. */
export function mendable<T>(step: () => T): Tried<T> {
  try {
    return { ok: true, value: step() };
  } catch (error) {
    if (error instanceof Unusable || error instanceof NotOurs) return { ok: false, why: error.message };
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    const { code } = error as NodeJS.ErrnoException;
    return { ok: false, why: error.message, ...(code !== undefined && { code }) };
  }
}
