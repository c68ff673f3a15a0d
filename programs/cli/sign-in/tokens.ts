import { statSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type Folder, holdFolder } from '../../../lib/machine/folder.ts';
import { configFolder } from '../contexts.ts';
import { exitCodes, Failure } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';

/**
 * A bearer token for one deployment, its expiry in ms since 1970, and for one of an issuer the means to get the next.
 */
const SignedIn = z.strictObject({
  token: z.string().min(1),
  expiresAt: z.int(),
  renewal: z.strictObject({ issuer: z.string(), clientId: z.string(), refreshToken: z.string().min(1) }).optional(),
});
export type SignedIn = z.infer<typeof SignedIn>;

/** By deployment: its address without a slash at its end. */
const Tokens = z.record(z.string(), SignedIn);
type Tokens = z.infer<typeof Tokens>;

const file = 'tokens.json';

/**
 * How often, and for how long, a command line tries to get a folder that another one has: renewing a token takes a
 * second or two.
 */
const askEveryMs = 50;
const waitForMs = 20_000;

/** The store of sign-ins: for this user alone, one token for each deployment. */
export type TokenStore = {
  readonly read: (endpoint: string) => SignedIn | undefined;
  /**
   * Runs `change` while no other command line changes anything, and stores its result; undefined forgets the sign-in.
   */
  readonly change: (
    endpoint: string,
    change: (before: SignedIn | undefined) => Promise<SignedIn | undefined>,
  ) => Promise<SignedIn | undefined>;
};

/**
 * The sign-ins of this user, in the folder of their configuration. Undefined for a user without a home. Its methods
 * throw a {@link Failure} when others could read the file, or it holds something else.
 */
export function tokenStore({ env, now, sleep }: Pick<Terminal, 'env' | 'now' | 'sleep'>): TokenStore | undefined {
  const folder = configFolder(env);
  if (!folder) return undefined;
  return {
    read: (endpoint) => tokensIn(folder)[keyOf(endpoint)],
    change: (endpoint, change) =>
      alone(folder, { now, sleep }, async () => {
        const after = await change(tokensIn(folder)[keyOf(endpoint)]);
        const { [keyOf(endpoint)]: _before, ...others } = tokensIn(folder);
        folder.write(file, JSON.stringify({ ...others, ...(after && { [keyOf(endpoint)]: after }) } satisfies Tokens, undefined, 2));
        return after;
      }),
  };
}

const keyOf = (endpoint: string): string => new URL(endpoint).href.replace(/\/+$/, '');

function tokensIn(folder: Folder): Tokens {
  const text = folder.read(file);
  if (text === undefined) return {};
  const path = join(folder.path, file);
  // Windows has no such modes: there the folder of the user protects the file.
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    throw new Failure(
      exitCodes.notAllowed,
      `other users can read the tokens in ${path}`,
      'Remove the file, and sign in again: others may have read it',
    );
  const read = Tokens.safeParse(parsed(text));
  if (!read.success)
    throw new Failure(exitCodes.failed, `${path} does not contain tokens of this program`, 'Remove the file, and sign in again');
  return read.data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Holds the folder while `run` does. A refresh token may be used once: two at the same time would end the sign-in. */
async function alone<T>(folder: Folder, { now, sleep }: Pick<Terminal, 'now' | 'sleep'>, run: () => Promise<T>): Promise<T> {
  const until = now() + waitForMs;
  let release = holdFolder(folder);
  while (!release) {
    if (now() > until) throw new Failure(exitCodes.tryAgain, `another command is using ${folder.path}`, 'Try again when it has finished');
    await sleep(askEveryMs);
    release = holdFolder(folder);
  }
  try {
    return await run();
  } finally {
    release();
  }
}
