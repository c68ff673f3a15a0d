import type { ClusterIdOf, IdKind, IdPath } from '../ids.ts';
import type { MergeLimits } from '../limits.ts';
import { AnswerRefused } from '../refusal.ts';

/** What a scanner does with what it finds. */
export type ScanOptions = {
  readonly ids: readonly IdPath[];
  /** Without it, ids stay as they are. */
  readonly clusterIdOf: ClusterIdOf | undefined;
  readonly unknown: 'leave-out' | 'fail';
  /** Whether a value that is no array passes, as one element. */
  readonly mayBeSingle: boolean;
  readonly limits: MergeLimits;
};

/**
 * Reads an answer that comes in parts of any size. After a throw of {@link AnswerRefused}, `take` still gives the
 * elements that were complete before.
 */
export type AnswerScanner = {
  /** What the value is, once that is known. */
  readonly shape: 'array' | 'single' | undefined;
  /** Elements that were kept, and that were left out since Muster does not know an id in them. */
  readonly counts: { readonly elements: number; readonly leftOut: number };
  /** Bytes of elements that have become complete since the last time. */
  take(): Buffer | undefined;
  /** Reads the next part. Throws {@link AnswerRefused}. */
  push(part: Uint8Array): void;
  /** No more comes. Throws {@link AnswerRefused} for a fault, and for an answer that is not complete. */
  end(): void;
};

const wholeNumber = /^[+-]?\d{1,19}$/;

/**
 * What is written in place of an id; the same for an empty text, or words, which are no id; undefined for one that
 * Muster does not know, with which its element is left out. Throws {@link AnswerRefused} where that cannot be.
 */
export function clusterIdText(
  { clusterIdOf, unknown }: ScanOptions,
  kind: IdKind,
  local: string,
  mayLeaveOut: boolean,
): string | undefined {
  if (!wholeNumber.test(local)) return local;
  const id = clusterIdOf?.(kind, Number(local));
  if (id === undefined && (unknown === 'fail' || !mayLeaveOut))
    throw new AnswerRefused('unknown-id', `${kind} ${local} of the server is not known to Muster`);
  return id === undefined ? undefined : String(id);
}
