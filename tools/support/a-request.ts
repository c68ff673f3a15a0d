import type { HttpRequest } from '../../lib/runtime/function.ts';

/** A call as a handler sees it: a GET of / without headers or body unless given. */
export const aRequest = ({
  headers = {},
  ...given
}: Partial<Omit<HttpRequest, 'header'>> & { headers?: Readonly<Record<string, string>> } = {}): HttpRequest => ({
  id: 'call-1',
  method: 'GET',
  path: '/',
  query: '',
  body: '',
  source: '127.0.0.1',
  ...given,
  header: (name) => headers[name],
});
