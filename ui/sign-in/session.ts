import { Problem, read, send } from '../api/call.ts';
import { client } from '../live/queries.ts';
import { mount } from '../mount.ts';
import { orders } from '../orders/orders.ts';
import { hrefOf } from '../router.tsx';

/** The session of this browser, and the ways in which the deployment lets people sign in. */
export type SessionState = {
  readonly session?: { readonly who: string; readonly name: string; readonly expires: string };
  /** The provider can renew it; a session by a link ends when it ends. */
  readonly canRenew: boolean;
  readonly methods: readonly ('oidc' | 'link')[];
};

/** Who has signed in in this browser, if anybody. Throws a {@link Problem}. */
export const sessionState = async (): Promise<SessionState> => (await read(await send('/session', {}))) as SessionState;

/** Where to go to sign in at the deployment's provider, and come back to this place of the page. */
export const beginAt = (path: string, search: Readonly<Record<string, string>>): string =>
  `${mount}/session/begin?${new URLSearchParams({ to: hrefOf(path === '/sign-in' ? '/' : path, path === '/sign-in' ? {} : search) })}`;

/**
 * Signs in by the secret of a link, which works once; the session is in a cookie that no script reads. `instead`: ends
 * the session of whoever is signed in in this browser first. Throws a {@link Problem}, which is `other-session` for
 * another person's session.
 */
export async function signInBy(secret: string, { instead = false } = {}): Promise<void> {
  if (instead) await post('/session/end', {});
  await post('/session', { secret });
  orders.clear();
  await client.resetQueries();
}

/** Signs out: ends the session at the deployment, and forgets all that this page has. Throws a {@link Problem}. */
export async function signOut(): Promise<void> {
  await post('/session/end', {});
  orders.clear();
  client.clear();
  location.assign(hrefOf('/sign-in'));
}

/** How long before its end a session is renewed, and how often the page looks. */
const beforeMs = 120_000;
const everyMs = 30_000;

/**
 * Keeps the session of a provider renewed, until `signal` aborts. One tab does it at a time: providers that give a new
 * refresh token each time end the sign-in when one is used twice.
 */
export function keepRenewed(signal: AbortSignal): void {
  const look = async (): Promise<void> => {
    const { session, canRenew } = await sessionState();
    if (session && canRenew && Date.parse(session.expires) - Date.now() < beforeMs) await post('/session/renew', {});
  };
  const timer = setInterval(() => {
    // A session that cannot be renewed is out at its end, and every call then says so.
    navigator.locks.request('muster-renew', { ifAvailable: true }, (lock) => (lock ? look().catch(isExpected) : undefined));
  }, everyMs);
  signal.addEventListener('abort', () => clearInterval(timer));
}

/** Refusals and silence are shown by the calls of the page; anything else is a mistake of ours. */
function isExpected(error: unknown): void {
  if (!(error instanceof Problem)) throw error;
}

async function post(path: string, body: object): Promise<void> {
  await read(await send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }));
}
