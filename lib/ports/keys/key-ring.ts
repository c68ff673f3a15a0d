import * as z from 'zod';
import { MusterError } from '../../core/errors.ts';
import type { EpochMs } from '../../core/time.ts';
import type { KeyAge, NextKey, Rotation, TokenKey } from './keys.ts';

/** A secret in base64, of at least 32 bytes, the full strength of HMAC-SHA-256. */
const Secret = z.base64().transform((text) => new Uint8Array(Buffer.from(text, 'base64')));
const KeyId = z.string().regex(/^[1-9]\d*$/, 'keys are named by whole numbers');

/**
 * The signing keys as stored in a file or a secret:
 * `{"current": 2, "keys": {"1": "…32 bytes in base64…", "2": "…"}, "since": {"2": …}}`; moments in ms, for the keys
 * that a rotation made.
 */
const StoredRing = z
  .strictObject({
    current: z.int().positive(),
    keys: z.record(KeyId, Secret),
    since: z.record(KeyId, z.int().nonnegative()).default({}),
  })
  .refine(({ keys }) => Object.values(keys).every((secret) => secret.byteLength >= 32), 'a key has 32 bytes or more')
  .refine(({ current, keys }) => String(current) in keys, 'the current key is not among the keys');

/** The signing keys: the one that signs, all that verify, and when a rotation made them, if it did. */
export type KeyRing = {
  readonly current: TokenKey;
  readonly all: ReadonlyMap<number, TokenKey>;
  readonly since: ReadonlyMap<number, EpochMs>;
};

/** Reads a key ring from JSON text. Throws a MusterError `keys.unreadable` naming the source, never the content. */
export function parseKeyRing(text: string, from: string): KeyRing {
  const parsed = StoredRing.safeParse(jsonOf(text));
  if (!parsed.success)
    throw new MusterError('keys.unreadable', `the keys in ${from} cannot be used: ${z.prettifyError(parsed.error)}`, 'never');
  const all = new Map(Object.entries(parsed.data.keys).map(([id, secret]) => [Number(id), { id: Number(id), secret }]));
  const since = new Map(Object.entries(parsed.data.since).map(([id, at]) => [Number(id), at as EpochMs]));
  return { current: all.get(parsed.data.current)!, all, since };
}

/** A ring of one key, which has the id 1; `since` is when it was made, if known. */
export const ringOfOne = (secret: Uint8Array, since?: EpochMs): KeyRing => {
  const current = { id: 1, secret };
  return { current, all: new Map([[1, current]]), since: new Map(since === undefined ? [] : [[1, since]]) };
};

/** A key ring as JSON text that {@link parseKeyRing} reads. */
export const printKeyRing = ({ current, all, since }: KeyRing): string => {
  const keys = Object.fromEntries([...all.values()].map(({ id, secret }) => [id, Buffer.from(secret).toString('base64')]));
  return `${JSON.stringify({ current: current.id, keys, ...(since.size > 0 && { since: Object.fromEntries(since) }) }, null, 2)}\n`;
};

/** The public facts about the keys, the newest first. */
export const agesOf = ({ current, all, since }: KeyRing): readonly KeyAge[] =>
  [...all.keys()]
    .toSorted((a, b) => Number(b === current.id) - Number(a === current.id) || b - a)
    .map((id) => ({ id, ...(since.has(id) && { since: since.get(id)! }) }));

/** A token names its key in one byte; 0 is no key. */
const idMax = 255;

/** Makes a ring with a new key; undefined when another key than the one named signs. */
export type Rotate = (ring: KeyRing, next: NextKey) => (Rotation & { readonly ring: KeyRing }) | undefined;

/** The ring with a new key that seals, and all earlier keys: entries that they sealed must still verify. */
export const grownRing: Rotate = ({ current: before, all, since }, { from, secret, at }) => {
  if (before.id !== from) return undefined;
  const current = { id: Math.max(...all.keys()) + 1, secret };
  const ring = { current, all: new Map([...all, [current.id, current]]), since: new Map([...since, [current.id, at]]) };
  return { ring, current: current.id };
};

/**
 * The ring with a new key that signs; of the others, only the one that signed until now stays. Undefined when another
 * than `from` signs.
 */
export function rotatedRing(ring: KeyRing, { from, secret, at }: NextKey): (Rotation & { readonly ring: KeyRing }) | undefined {
  const before = ring.current;
  if (before.id !== from) return undefined;
  const current = { id: (before.id % idMax) + 1, secret };
  const retired = [...ring.all.keys()].filter((id) => id !== before.id).at(-1);
  const sinceBefore = ring.since.get(before.id);
  return {
    ring: {
      current,
      all: new Map([before, current].map((key) => [key.id, key])),
      since: new Map([...(sinceBefore === undefined ? [] : [[before.id, sinceBefore] as const]), [current.id, at]]),
    },
    current: current.id,
    ...(retired !== undefined && { retired }),
  };
}

/** Undefined if the text is not JSON; the parser's own message would reveal the beginning of the secret. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
