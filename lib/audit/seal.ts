import { createHash, createHmac } from 'node:crypto';
import * as z from 'zod';
import type { EpochMs } from '../core/time.ts';

/** SHA-256, or HMAC-SHA-256, in hex. */
export const Hash = z.string().regex(/^[0-9a-f]{64}$/);

/**
 * HMAC-SHA-256 by an audit key. The key is not in the table, so access to the table alone is not enough to make a seal.
 */
export const Seal = z.strictObject({ key: z.int().positive(), mac: Hash });
export type Seal = z.infer<typeof Seal>;

/** A key of the audit. */
export type SealKey = { readonly id: number; readonly secret: Uint8Array };

/** The part of a row that its hash covers. */
export type AnyRow = {
  readonly key: { readonly pk: string; readonly sk: string };
  readonly rev: number;
  readonly at: EpochMs;
  readonly body: unknown;
  readonly gone?: true;
};

/**
 * JSON with the names of every object in order and without undefined members: the same text for the same value,
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

/** A seal over a value. It includes the kind of the value, so that the seal of one kind is not valid for another. */
export const sealed = ({ id, secret }: SealKey, of: 'entry' | 'head' | 'mark', value: unknown): Seal => ({
  key: id,
  mac: createHmac('sha256', secret)
    .update(`${of}\n${canonical(value)}`)
    .digest('hex'),
});

/**
 * The fields that change without an action of an actor, by noun, for rows in which only actions change all other
 * fields. The hash of such a row is valid whatever was written since. A row of any other noun is checked only while it
 * is at the revision that the audit records.
 */
const ofItself: Readonly<Record<string, readonly string[]>> = { 'api-key': ['lastUsedAt'] };
/** The fields of such rows that calls change; all others stay as they were when the row was created. */
const byCalls: Readonly<Record<string, readonly string[]>> = { 'api-key': ['revokedAt', 'withMade'] };

/** Whether the hash of the rows of a noun is valid whatever was written since without an action. */
export const isGuarded = (noun: string): boolean => noun in ofItself;

type Hashed = Pick<AnyRow, 'key' | 'rev' | 'body' | 'gone'>;

/** SHA-256 over the key of a row, its revision, its body, and whether it has ended. */
export const hashOfRow = (noun: string, { key, rev, body, gone }: Hashed): string =>
  sha256({ ...key, body: without(body, ofItself[noun]), gone, ...(!isGuarded(noun) && { rev }) });

/** SHA-256 over the fields of a guarded row that never change after its creation; undefined for any other row. */
export const coreOfRow = (noun: string, { key, body }: Hashed): string | undefined =>
  isGuarded(noun) ? sha256({ ...key, body: without(body, [...ofItself[noun]!, ...(byCalls[noun] ?? [])]) }) : undefined;

const without = (body: unknown, aside: readonly string[] = []): object =>
  Object.fromEntries(Object.entries(body as object).filter(([name]) => !aside.includes(name)));
const sha256 = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex');
