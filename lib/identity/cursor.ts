import { createCipheriv, createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { TokenKey } from '../ports/keys/keys.ts';

const macBytes = 12;
const blockBytes = 16;

/**
 * An opaque cursor: a position bound to its query, so that it opens no other list, and encrypted, because a position
 * may name something that the holder may not see. The MAC over the position comes first, and the encryption counts from
 * it (as in SIV, RFC 5297): the same position gives the same cursor, and no two positions are encrypted alike.
 */
export function mintCursor(position: string, query: string, key: TokenKey): string {
  const body = Buffer.from(position, 'utf8');
  const tag = mac(body, query, key);
  return Buffer.concat([Buffer.from([key.id]), tag, sealed(body, tag, key)]).toString('base64url');
}

/** The id of the key that a cursor names; undefined if the text is no cursor. */
export const cursorKeyId = (text: string): number | undefined => {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > macBytes + 1 && bytes.toString('base64url') === text ? bytes[0] : undefined;
};

/** The position in a cursor that this key made for this query; undefined for any other. */
export function readCursor(text: string, query: string, key: TokenKey): string | undefined {
  const bytes = Buffer.from(text, 'base64url');
  if (cursorKeyId(text) !== key.id) return undefined;
  const tag = bytes.subarray(1, 1 + macBytes);
  const body = sealed(bytes.subarray(1 + macBytes), tag, key);
  return timingSafeEqual(tag, mac(body, query, key)) ? body.toString('utf8') : undefined;
}

/** Encrypts or decrypts a position: AES-256 in counter mode, counting from the MAC. */
function sealed(body: Buffer, tag: Buffer, key: TokenKey): Buffer {
  const secret = createHmac('sha256', key.secret).update('cursor cipher\0').digest();
  const cipher = createCipheriv('aes-256-ctr', secret, Buffer.concat([tag, Buffer.alloc(blockBytes - macBytes)]));
  return Buffer.concat([cipher.update(body), cipher.final()]);
}

const mac = (body: Buffer, query: string, key: TokenKey): Buffer =>
  createHmac('sha256', key.secret)
    .update('cursor\0')
    .update(createHash('sha256').update(query).digest())
    .update(body)
    .digest()
    .subarray(0, macBytes);
