import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { readToken, type Token, tokenKeyId } from '../../../lib/identity/token.ts';
import type { TokenKey } from '../../../lib/ports/keys/keys.ts';
import type { Answered } from '../watching.ts';
import { isOfScript } from '../world/hasty.ts';
import { onceEach } from './once.ts';

/** A call of a client system: which, and the fingerprint that it is about. */
export type ClientCall = { readonly name: 'knock' | 'status' | 'orphan'; readonly fp: string };

/** What a call is to client systems; undefined for any other. */
export const clientCall = onceEach(({ path, query, sent }: Pick<Answered, 'path' | 'query' | 'sent'>): ClientCall | undefined => {
  if (!path.startsWith('/system/')) return undefined;
  if (path === '/system/knock') return { name: 'knock', fp: fingerprintOf((sent as { publicKey: string }).publicKey) };
  const fp = decodeURIComponent(query.replace(/^fp=/, '')).replaceAll(':', '').toLowerCase();
  return { name: path === '/system/status' ? 'status' : 'orphan', fp };
});

/** The byte that a call was answered; undefined where it was a name, nothing, or a refusal. */
export const byteOf = ({ status, path, body }: Answered): string | undefined =>
  status === 200 && path !== '/system/orphan' && path.startsWith('/system/') ? body : undefined;

/** The node that a call named; undefined where it named none. */
export const nameTold = ({ status, path, body }: Answered): string | undefined =>
  status === 200 && path === '/system/orphan' ? body : undefined;

/** A token that one of these keys has signed, and by which it is; undefined for what is none. */
export function signedToken(text: string | undefined, keys: ReadonlyMap<number, TokenKey>): (Token & { readonly key: number }) | undefined {
  const key = text === undefined ? undefined : keys.get(tokenKeyId(text) ?? 0);
  const token = key && readToken(text!, key);
  return token && { ...token, key: key.id };
}

/**
 * Whether a machine made a call for itself: it knocked, or came with a token of its own. Whoever passes by has none, or
 * another's, and a line of its own; so has a script beside the daemon.
 */
export function isOwn(call: Pick<Answered, 'line' | 'method' | 'path' | 'query' | 'sent' | 'token'>): boolean {
  if (call.method === 'POST') return /^system\d+(-copy\d+)*$/.test(call.line);
  if (isOfScript(call.line)) return false;
  if (call.token === undefined || tokenKeyId(call.token) === undefined) return false;
  return clientCall(call)?.fp.startsWith(Buffer.from(call.token, 'base64url').toString('hex', 0, 16)) ?? false;
}
