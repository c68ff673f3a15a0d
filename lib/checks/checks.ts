/** How long a schema, or what it is held against, may be, in characters of JSON; and how many faults are told of one document. */
export const jsonTextMax = 65_536;
export const faultsMax = 50;

/** What is wrong with a document, and where, as a JSON pointer (RFC 6901): the empty one is the whole. */
export type Fault = { readonly pointer: string; readonly detail: string };

/** A JSON Schema of draft 2020-12 by itself, or a document against it; both as JSON text. */
export type Check = { readonly schema: string; readonly data?: string };

/**
 * What a check found. `done`: every fault of what was checked, none where it is right. `unusable`: the schema itself cannot be used, and no
 * document was held against it. `late`: the check took more than it may, and was stopped.
 */
export type Verdict =
  | { readonly is: 'done'; readonly faults: readonly Fault[] }
  | { readonly is: 'unusable'; readonly faults: readonly Fault[] }
  | { readonly is: 'late'; readonly because: string };

/** A verdict, and how much processor time the check took. */
export type Checked = { readonly verdict: Verdict; readonly tookMs: number };

/**
 * Checks schemas that operators wrote, where a check can hold up nothing else. Each check has a limit of processor time. Throws a Later
 * when the machine is too busy to give the check that time.
 */
export interface Checks {
  check(asked: Check): Promise<Checked>;
}
