import type { HttpRequest } from '../runtime/function.ts';
import { isOwnPage, reachedBy } from './origin.ts';
import { cookieIn } from './sessions/cookies.ts';

/** The token that a call carries; `isCookie` when a browser sent it by itself. A header without a token has none. */
export type Bearer = { readonly token: string | undefined; readonly isCookie: boolean };

/**
 * What a call carries as its caller's proof: the header authorization (RFC 6750), or else the session cookie of our own
 * page. A cookie of a call by any other page counts for nothing, since the browser sent it without anybody's intention;
 * so does one that the browser has twice. Undefined when the call carries neither.
 */
export function bearerOf(request: Pick<HttpRequest, 'header'>): Bearer | undefined {
  const header = request.header('authorization');
  if (header !== undefined && header !== '') return { token: /^Bearer +(\S+) *$/i.exec(header)?.[1], isCookie: false };
  const token = sessionCookieOf(request);
  return token === undefined ? undefined : { token, isCookie: true };
}

/** The session cookie of our own page; undefined where there is none that counts. */
export function sessionCookieOf(request: Pick<HttpRequest, 'header'>): string | undefined {
  if (!isOwnPage(request)) return undefined;
  const cookie = cookieIn(request.header('cookie'), 'session', reachedBy(request));
  return cookie === 'several' ? undefined : cookie;
}
