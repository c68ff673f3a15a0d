import type { MusterFunction } from '../../lib/runtime/function.ts';
import type { LocalShell } from './shell.ts';

/**
 * A link that signs a person in as the operator of this host, once and within 10 min: the answer of
 * `POST /api/v1/sign-in-links`. `url` is the address of the host. Throws an Error with the answer of the endpoint when
 * that makes no link.
 */
export async function signInLink(functions: ReadonlyMap<string, MusterFunction>, { shell, operator }: LocalShell, url: string) {
  const { protocol, host } = new URL(url);
  const headers: Readonly<Record<string, string>> = {
    authorization: `Bearer ${operator.text}`,
    'content-type': 'application/json',
    'x-forwarded-proto': protocol.slice(0, -1),
    host,
  };
  const handler = functions.get('admin');
  if (handler?.on !== 'route') throw new Error('the function admin answers no routes');
  const call = { id: shell.newId(), method: 'POST', path: '/api/v1/sign-in-links', query: '', body: '{}', source: '127.0.0.1' };
  const { status, body = '' } = await handler.handle({ ...call, header: (name) => headers[name] }, shell);
  if (status !== 201) throw new Error(`no sign-in link was made: ${status} ${body}`);
  return (JSON.parse(body) as { link: string }).link;
}
