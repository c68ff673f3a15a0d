import admin from '../../functions/admin.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { aRequest } from './a-request.ts';

/** An answer of the admin API: `problem` is the type of a refusal without its prefix, `challenge` how to sign in. */
export type AdminAnswer = {
  readonly status: number;
  readonly problem: string;
  readonly challenge: string | undefined;
  readonly body: Record<string, never>;
};

/**
 * A call of the admin API under `/api/v1/`, with `?` and a query behind the path if need be: by default a POST with a
 * body, and a GET without one.
 */
export async function adminCall(
  shell: Shell,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: object,
  method = body ? 'POST' : 'GET',
): Promise<AdminAnswer> {
  const [at, query = ''] = path.split('?') as [string, string?];
  const json = body && { 'content-type': 'application/json' };
  const sent = { method, path: `/api/v1/${at}`, query, body: body ? JSON.stringify(body) : '' };
  const reply = await admin.handle(aRequest({ ...sent, headers: { host: 'muster.acme.org', ...json, ...headers } }), shell);
  const parsed = JSON.parse(reply.body ?? '{}') as Record<string, never>;
  const problem = String(parsed['type'] ?? '').replace('urn:muster:problem:', '');
  return { status: reply.status, problem, challenge: reply.headers?.['www-authenticate'], body: parsed };
}
