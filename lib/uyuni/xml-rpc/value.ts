/** A date and time as XML-RPC writes it, `20310501T12:00:00`: without a zone, so it counts in the server's own. */
export class DateTime {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The same in UTC, to the second; `ms` counts from the epoch. */
  static utc(ms: number): DateTime {
    return new DateTime(new Date(ms).toISOString().slice(0, 19).replaceAll('-', ''));
  }
}

/**
 * A value of XML-RPC. A whole number is an `int`, or an `i8` beyond 31 bits; any other number is a `double`; bytes are
 * `base64`; null is the extension `nil`. Whether a number was sent as `int` or as `double` does not show in it.
 */
export type Value = null | boolean | number | string | DateTime | Uint8Array | readonly Value[] | { readonly [name: string]: Value };

/** Whether a value is a struct. */
export const isStruct = (value: Value): value is { readonly [name: string]: Value } =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof DateTime || value instanceof Uint8Array);

/**
 * The error that a method answers with, as XML-RPC carries it. `http`: how the JSON interface answers it, if not by
 * `{"success": false}` and 200.
 */
export type Fault = { readonly code: number; readonly text: string; readonly http?: { readonly status: number; readonly type?: string } };

/** A text that is no XML-RPC, or a value that XML-RPC cannot carry; the message says which part. */
export class NotXmlRpc extends Error {
  override readonly name = 'NotXmlRpc';
}
