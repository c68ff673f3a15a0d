/**
 * How long a schema, or what it is held against, may be, in characters of JSON; and how many faults are told of one
 * document.
 */
export const jsonTextMax = 65_536;

export const faultsMax = 50;

/** What is wrong with a document, and where, as a JSON pointer (RFC 6901): the empty one is the whole. */
export type Fault = { readonly pointer: string; readonly detail: string };

/** A JSON Schema of draft 2020-12 by itself, or a document against it; both as JSON text. */
export type Check = { readonly schema: string; readonly data?: string };

/**
 * What a check found. `done`: every fault of what was checked, none where it is right. `unusable`: the schema itself
 * cannot be used, and no document was held against it. `late`: the check took more than it may, and was stopped.
 */
export type Verdict =
  | { readonly is: 'done'; readonly faults: readonly Fault[] }
  | { readonly is: 'unusable'; readonly faults: readonly Fault[] }
  | { readonly is: 'late'; readonly because: string };

/** What is decided once a check has been made, by deciding again with its verdict. */
export type Unchecked = { readonly does: 'check'; readonly check: Check };
