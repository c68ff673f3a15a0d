import { Unusable } from '../../../lib/machine/command-line.ts';
import { NotOurs } from '../../../lib/machine/own.ts';

/** The result of a step; or why it failed, in words for an operator. */
export type Tried<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly why: string; readonly code?: string };

/**
 * Runs a step, and catches faults that an operator can fix: of a file or folder. Throws any other error of the step.
 */
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
