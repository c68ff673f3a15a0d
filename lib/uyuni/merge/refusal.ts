import type { Fault } from '../xml-rpc/value.ts';

/**
 * Why the answer of a node does not count: the server's own `fault`; no answer before its `deadline`; the connection
 * `lost`, or the answer `cut-off` before its end; `malformed` XML-RPC; XML that is `refused`, such as a DOCTYPE;
 * `too-large`; an `unknown-id` where it cannot be left out; `not-an-array` where arrays are merged; or `given-up`,
 * since the merge ended before it.
 */
export type FailureCode =
  | 'fault'
  | 'deadline'
  | 'lost'
  | 'cut-off'
  | 'malformed'
  | 'refused'
  | 'too-large'
  | 'unknown-id'
  | 'not-an-array'
  | 'given-up';

/** An answer that does not count, and why; `fault` is the server's own, if that is why. */
export class AnswerRefused extends Error {
  override readonly name = 'AnswerRefused';
  readonly code: FailureCode;
  readonly fault: Fault | undefined;

  constructor(code: FailureCode, text: string, fault?: Fault) {
    super(text);
    this.code = code;
    this.fault = fault;
  }
}
