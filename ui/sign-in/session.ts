import { Problem, read, send } from '../api/call.ts';
import { client } from '../live/queries.ts';

/** The ways in which this deployment lets people sign in. */
export type Ways = { readonly issuer?: string };

/**
 * How a deployment lets people sign in: by a link always, and by its provider where it has one. Throws a
 * {@link Problem}.
 */
export async function waysToSignIn(): Promise<Ways> {
  return (await read(await send('/api/v1/sign-in', {}))) as Ways;
}

/**
 * Signs in by the secret of a link, which works once; the session is in a cookie that no script reads. Throws a
 * {@link Problem}.
 */
export async function signInBy(secret: string): Promise<void> {
  await post('/session', { secret });
  await client.resetQueries();
}

/** Signs out: ends the session at the deployment, and forgets all that this page has. */
export async function signOut(): Promise<void> {
  try {
    await post('/session/end', {});
  } catch (error) {
    // A session that is over already needs no end.
    if (!(error instanceof Problem) || error.status !== 401) throw error;
  }
  client.clear();
  location.assign('/ui/sign-in');
}

async function post(path: string, body: object): Promise<void> {
  await read(await send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }));
}
