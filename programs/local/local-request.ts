import type { IncomingMessage } from 'node:http';
import type { HttpRequest } from '../../lib/runtime/function.ts';

/** A request target as path and query, as they were sent. */
export function targetOf(url: string): Pick<HttpRequest, 'path' | 'query'> {
  const mark = url.indexOf('?');
  return mark === -1 ? { path: url, query: '' } : { path: url.slice(0, mark), query: url.slice(mark + 1) };
}

/** The parts of a call that either lane reads. */
type Incoming = Pick<IncomingMessage, 'method' | 'headers'> & { readonly socket?: Pick<IncomingMessage, 'socket'>['socket'] };

/** A call as a function sees it. */
export const localRequest = (
  { method = 'GET', headers, socket }: Incoming,
  given: Pick<HttpRequest, 'id' | 'path' | 'query' | 'body' | 'source'>,
): HttpRequest => ({
  ...given,
  method,
  header: (name) => {
    // Where this host itself ends TLS, it knows better than any header.
    if (name === 'x-forwarded-proto' && socket && 'encrypted' in socket) return 'https';
    const value = headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  },
});
