import { fingerprintOf } from '../../../lib/identity/fingerprint.ts';
import { readToken } from '../../../lib/identity/token.ts';
import type { Answered } from '../watching.ts';

/** A call of a client system: which, and the fingerprint that it is about. */
export type ClientCall = { readonly name: 'knock' | 'status' | 'orphan'; readonly fp: string };

/** What a call is to client systems; undefined for any other. */
export function clientCall({ path, query, sent }: Pick<Answered, 'path' | 'query' | 'sent'>): ClientCall | undefined {
  if (!path.startsWith('/system/')) return undefined;
  if (path === '/system/knock') return { name: 'knock', fp: fingerprintOf((sent as { publicKey: string }).publicKey) };
  const fp = decodeURIComponent(query.replace(/^fp=/, '')).replaceAll(':', '').toLowerCase();
  return { name: path === '/system/status' ? 'status' : 'orphan', fp };
}

/** The byte that a call was answered; undefined where it was a name, nothing, or a refusal. */
export const byteOf = ({ status, path, body }: Answered): string | undefined =>
  status === 200 && path !== '/system/orphan' && path.startsWith('/system/') ? body : undefined;

/** The node that a call named; undefined where it named none. */
export const nameTold = ({ status, path, body }: Answered): string | undefined =>
  status === 200 && path === '/system/orphan' ? body : undefined;

/** The key that tokens of a simulated world are signed with. */
export const tokenKey = { id: 1, secret: new Uint8Array(32).fill(7) };

/** Whether a machine made a call for itself: it knocked, or came with a token of its own. Whoever passes by has none, or another's. */
export function isOwn(call: Pick<Answered, 'method' | 'path' | 'query' | 'sent' | 'token'>): boolean {
  if (call.method === 'POST') return true;
  const token = call.token === undefined ? undefined : readToken(call.token, tokenKey);
  return token !== undefined && (clientCall(call)?.fp.startsWith(token.fp) ?? false);
}
