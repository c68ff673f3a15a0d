import { join } from 'node:path';
import { isLoopback } from '../../lib/machine/endpoint.ts';
import { wantPrivate } from './endpoint.ts';
import { exitCodes, Failure } from './exit-codes.ts';
import { type SignedIn, type TokenStore, tokenStore } from './sign-in/tokens.ts';
import type { Terminal } from './terminal.ts';

/** Where an embedded host keeps the secret of its operator, in its state folder; a new one at each start. */
const operatorFile = 'operator.key';

/** A token that expires sooner than this is renewed first, so that it does not expire during a call. */
const renewBeforeMs = 60_000;

type World = Pick<Terminal, 'env' | 'readOwn' | 'now' | 'sleep'>;

/**
 * The bearer token for a deployment: MUSTER_TOKEN, else that of the sign-in, renewed when it is about to end, else the
 * operator's secret of the embedded host on this machine, which it leaves in its state folder (MUSTER_HOME, else
 * .muster) for its own user. Undefined when there is none. The operator's secret never leaves loopback, and no token
 * goes out unprotected unless `insecure` allows it. A state folder that others could have put here is refused: its file
 * might be a link to a secret, which would then go to the program that listens at the endpoint.
 */
export async function bearerFor(endpoint: string, world: World, insecure?: boolean): Promise<string | undefined> {
  const { env, readOwn } = world;
  const given = env['MUSTER_TOKEN']?.trim();
  const store = given ? undefined : tokenStore(world);
  const stored = store?.read(endpoint);
  if (given || stored) wantPrivate(endpoint, insecure);
  if (given) return given;
  if (store && stored) return current(endpoint, stored, store, world);
  if (!isLoopback(endpoint)) return undefined;
  return operatorIn(join(env['MUSTER_HOME'] || '.muster', operatorFile), readOwn);
}

/**
 * The operator's secret in a file; undefined where there is none. Throws a {@link Failure} where there is one that
 * cannot be read.
 */
function operatorIn(file: string, readOwn: World['readOwn']): string | undefined {
  try {
    return readOwn(file)?.trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code !== 'string') throw error;
    const advice = 'Run the command as the user who started Muster, set MUSTER_HOME to its state folder, or sign in: login';
    throw new Failure(exitCodes.notAllowed, `the operator's key ${file} cannot be read (${code})`, advice);
  }
}

/** The token of a sign-in, as long as there is one. Throws a {@link Failure} when the person has to sign in again. */
async function current(endpoint: string, stored: SignedIn, store: TokenStore, { now }: World): Promise<string> {
  const isFresh = ({ expiresAt }: SignedIn): boolean => expiresAt - now() > renewBeforeMs;
  if (isFresh(stored)) return stored.token;
  const holds = stored.expiresAt > now();
  if (!stored.renewal) {
    if (holds) return stored.token;
    throw new Failure(exitCodes.notAllowed, `the sign-in at ${endpoint} has expired`, 'Sign in again with login, or remove it with logout');
  }
  const { renewed } = await import('./sign-in/oidc.ts');
  // Another command may have renewed it already, or signed out.
  const renew = async (before: SignedIn | undefined) => (before?.renewal && !isFresh(before) ? renewed(before.renewal, now) : before);
  try {
    const after = await store.change(endpoint, renew);
    if (after) return after.token;
  } catch (error) {
    if (holds && error instanceof Failure && error.exitCode === exitCodes.unreachable) return stored.token;
    throw error;
  }
  throw new Failure(exitCodes.notAllowed, `the sign-in at ${endpoint} was removed by another command`, 'Sign in again: login');
}
