import * as z from 'zod';
import { MusterError } from '../errors.ts';
import type { TokenKey } from './keys.ts';

/** A secret of at least the 32 bytes that HMAC-SHA-256 is as strong as, in base64. */
const Secret = z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));

/** The signing keys as a file or a secret holds them: `{"current": 1, "keys": {"1": "…32 bytes in base64…"}}`. */
const KeyRing = z
  .strictObject({
    current: z.int().positive(),
    keys: z.record(z.string().regex(/^[1-9]\d*$/, 'keys are named by whole numbers'), Secret),
  })
  .refine(({ keys }) => Object.values(keys).every((secret) => secret.byteLength >= 32), 'a key has 32 bytes or more')
  .refine(({ current, keys }) => String(current) in keys, 'the current key is not among the keys');

/** The signing keys: which one signs, and all that verify. */
export type KeyRing = { readonly current: TokenKey; readonly all: ReadonlyMap<number, TokenKey> };

/** Reads a key ring from JSON text. Throws a MusterError `keys.unreadable` naming where it came from, never what it holds. */
export function parseKeyRing(text: string, from: string): KeyRing {
  const parsed = KeyRing.safeParse(jsonOf(text));
  if (!parsed.success)
    throw new MusterError('keys.unreadable', `the keys in ${from} cannot be used: ${z.prettifyError(parsed.error)}`, 'never');
  const all = new Map(Object.entries(parsed.data.keys).map(([id, secret]) => [Number(id), { id: Number(id), secret }]));
  return { current: all.get(parsed.data.current)!, all };
}

/** A ring of one key, which has the id 1. */
export const ringOfOne = (secret: Uint8Array): KeyRing => {
  const current = { id: 1, secret };
  return { current, all: new Map([[1, current]]) };
};

/** A key ring as JSON text that {@link parseKeyRing} reads. */
export const printKeyRing = ({ current, all }: KeyRing): string => {
  const keys = Object.fromEntries([...all.values()].map(({ id, secret }) => [id, Buffer.from(secret).toString('base64')]));
  return `${JSON.stringify({ current: current.id, keys }, null, 2)}\n`;
};

/** Undefined for what is no JSON; the parser's own message would show the beginning of the secret. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
