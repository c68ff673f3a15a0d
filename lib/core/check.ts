/** The longest schema or document, in characters of JSON; and the most faults that are reported of one document. */
export const jsonTextMax = 65_536;

export const faultsMax = 50;

/** What is wrong with a document, and where, as a JSON pointer (RFC 6901): the empty one is the whole. */
export type Fault = { readonly pointer: string; readonly detail: string };

/** A JSON Schema of draft 2020-12 by itself, or a document against it; both as JSON text. */
export type Check = { readonly schema: string; readonly data?: string };

/**
 * The result of a check. `done`: every fault of the schema or document, none where it is right. `unusable`: the schema
 * itself cannot be used, and no document was checked. `late`: the check took longer than it may, and was stopped.
 */
export type Verdict =
  | { readonly is: 'done'; readonly faults: readonly Fault[] }
  | { readonly is: 'unusable'; readonly faults: readonly Fault[] }
  | { readonly is: 'late'; readonly because: string };

/** A decision that needs a check first: it is made again with the verdict. */
export type Unchecked = { readonly does: 'check'; readonly check: Check };
