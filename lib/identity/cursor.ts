import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { TokenKey } from '../keys/keys.ts';

const macBytes = 12;

/** An opaque cursor: a position bound to the query it belongs to, so that it opens no other list. */
export function mintCursor(position: string, query: string, key: TokenKey): string {
  const body = Buffer.from(position, 'utf8');
  return Buffer.concat([Buffer.from([key.id]), mac(body, query, key), body]).toString('base64url');
}

/** The id of the key that a cursor names; undefined when it is none. */
export const cursorKeyId = (text: string): number | undefined => {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > macBytes + 1 && bytes.toString('base64url') === text ? bytes[0] : undefined;
};

/** The position in a cursor that this key made for this query; undefined for any other. */
export function readCursor(text: string, query: string, key: TokenKey): string | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (cursorKeyId(text) !== key.id) return undefined;
  const body = bytes.subarray(1 + macBytes);
  return timingSafeEqual(bytes.subarray(1, 1 + macBytes), mac(body, query, key)) ? body.toString('utf8') : undefined;
}

const mac = (body: Buffer, query: string, key: TokenKey): Buffer =>
  createHmac('sha256', key.secret)
    .update('cursor\0')
    .update(createHash('sha256').update(query).digest())
    .update(body)
    .digest()
    .subarray(0, macBytes);
