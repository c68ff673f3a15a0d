import { createHash, createHmac } from 'node:crypto';
import * as z from 'zod';
import type { EpochMs } from '../core/time.ts';

/** SHA-256, or HMAC-SHA-256, in hex. */
export const Hash = z.string().regex(/^[0-9a-f]{64}$/);

/** HMAC-SHA-256 by a key of the audit, which is not in the table: whoever can write the table alone cannot make one. */
export const Seal = z.strictObject({ key: z.int().positive(), mac: Hash });
export type Seal = z.infer<typeof Seal>;

/** A key of the audit. */
export type SealKey = { readonly id: number; readonly secret: Uint8Array };

/** A row, as far as its hash is about it. */
export type AnyRow = {
  readonly key: { readonly pk: string; readonly sk: string };
  readonly rev: number;
  readonly at: EpochMs;
  readonly body: unknown;
  readonly gone?: true;
};

/**
 * JSON with the names of every object in order and nothing that is undefined: the same text for the same value,
 * wherever it was stored.
 */
export function canonical(value: unknown): string {
  if (value instanceof Uint8Array) return `{"$b":"${Buffer.from(value).toString('base64')}"}`;
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join()}}`;
}

/** A seal over a value. What it is of is part of it, so that the seal of one thing is none of another. */
export const sealed = ({ id, secret }: SealKey, of: 'entry' | 'head' | 'mark', value: unknown): Seal => ({
  key: id,
  mac: createHmac('sha256', secret)
    .update(`${of}\n${canonical(value)}`)
    .digest('hex'),
});

/**
 * The fields that change without anybody's doing, by noun, of rows in which all others change by somebody's doing
 * alone: of those the hash holds whatever was written since. The row of any other noun is looked at as long as it is at
 * the revision that the audit speaks of.
 */
const ofItself: Readonly<Record<string, readonly string[]>> = { 'api-key': ['lastUsedAt'] };
/** The fields of such rows that calls change; all others are for ever what they were when it was made. */
const byCalls: Readonly<Record<string, readonly string[]>> = { 'api-key': ['revokedAt', 'withMade'] };

/** Whether the hash of a noun's rows holds whatever was written since that is nobody's doing. */
export const isGuarded = (noun: string): boolean => noun in ofItself;

type Hashed = Pick<AnyRow, 'key' | 'rev' | 'body' | 'gone'>;

/** SHA-256 over which row it is, at which revision, with which body, and whether it has ended. */
export const hashOfRow = (noun: string, { key, rev, body, gone }: Hashed): string =>
  sha256({ ...key, body: without(body, ofItself[noun]), gone, ...(!isGuarded(noun) && { rev }) });

/** SHA-256 over what of a guarded row is for ever what it was when it was made; undefined for any other row. */
export const coreOfRow = (noun: string, { key, body }: Hashed): string | undefined =>
  isGuarded(noun) ? sha256({ ...key, body: without(body, [...ofItself[noun]!, ...(byCalls[noun] ?? [])]) }) : undefined;

const without = (body: unknown, aside: readonly string[] = []): object =>
  Object.fromEntries(Object.entries(body as object).filter(([name]) => !aside.includes(name)));
const sha256 = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex');
