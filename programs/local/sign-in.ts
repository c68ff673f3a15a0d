import { createHash } from 'node:crypto';
import { Refusal } from '../../lib/api/problem.ts';
import { routeMethod } from '../../lib/api/router.ts';
import type { MusterFunction } from '../../lib/runtime/function.ts';
import { type HostRoute, refuse } from './http.ts';
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

const style = 'body{font:16px/1.6 sans-serif;max-width:40em;margin:3em auto;padding:0 1em}code{background:#eee;padding:.2em .4em}';
const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Sign in to Muster</title>
<style>${style}</style>
<h1>Sign in to Muster</h1>
<p>This link signs you in on the command line, once. Copy the whole address of this page, with the part after the <code>#</code>, and run</p>
<p><code>muster login -</code></p>
<p>It asks for the address: paste it there.</p>
<p>Opening it used nothing up: the part after the <code>#</code> never left your browser.</p>
</html>
`;

/**
 * The page runs no script, loads nothing and cannot be shown within another page, because its address holds a secret.
 */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'cross-origin-opener-policy': 'same-origin',
} as const;

/** The page that a sign-in link opens; it explains what to do with the link. */
export const signInPage: HostRoute = (request, response, path) => {
  if (path !== '/sign-in') return false;
  if (routeMethod(request.method ?? 'GET') === 'GET')
    response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(page) }).end(page);
  else refuse(response, new Refusal('wrong-method', `${path} takes GET, HEAD`, { headers: { allow: 'GET, HEAD' } }));
  return true;
};
