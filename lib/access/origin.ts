import type { HttpRequest } from '../runtime/function.ts';
import type { Reached } from './sessions/cookies.ts';

/** The origin at which the caller reached us. Away from loopback, every caller uses TLS. */
export function originOf({ header }: Pick<HttpRequest, 'header'>): string {
  const host = header('host') ?? 'localhost';
  const isLoopback = /^(127(\.\d{1,3}){3}|localhost|\[::1\])(:\d+)?$/i.test(host);
  const forwarded = header('x-forwarded-proto');
  const scheme = forwarded === 'http' || forwarded === 'https' ? forwarded : isLoopback ? 'http' : 'https';
  return `${scheme}://${host}`;
}

/** How the caller's browser reached us. */
export function reachedBy(request: Pick<HttpRequest, 'header'>): Reached {
  const isSecure = originOf(request).startsWith('https:');
  return { isSecure, port: /:(\d+)$/.exec(request.header('host') ?? '')?.[1] ?? (isSecure ? '443' : '80') };
}

/**
 * Whether the caller is our own page, by what its browser says of the call (https://www.w3.org/TR/fetch-metadata/). No
 * page can set this header. Pages of another site, and of another port of the same host, are not ours.
 */
export const isOwnPage = ({ header }: Pick<HttpRequest, 'header'>): boolean => header('sec-fetch-site') === 'same-origin';
