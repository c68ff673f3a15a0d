import { Latest } from '../../../core/latest.ts';
import { type EpochMs, secondMs } from '../../../core/time.ts';
import { parseSecret } from '../../../identity/secret-text.ts';
import { read } from '../../../runtime/read.ts';
import { cached, type Shell } from '../../../runtime/shell.ts';
import { faultOf, type OnboardingToken, onboardingTokenRef } from '../onboarding-token.ts';
import { isShared } from '../rows/share.ts';

/** A token whose secret was shown to this environment; `isUsedUp`: no share of it had room, and none ever will. */
type Known = { readonly token: OnboardingToken; readonly readAt: EpochMs; readonly isUsedUp: boolean };

/** How many tokens an environment remembers, at about 500 bytes each. It forgets the oldest first. */
const knownMax = 1_000;
/**
 * How old a remembered token may be: a revocation is noticed within this. The commit that accepts reads the row anew.
 */
const maxAgeMs = 10 * secondMs;

const knownTo = (shell: Pick<Shell, 'caches'>): Latest<string, Known> =>
  cached(shell, 'onboarding tokens', () => new Latest<string, Known>(knownMax));

/** Who presents a token: its text, and the network address of the call. */
export type Presented = { readonly text: string | undefined; readonly source: string };

/**
 * The token that a call presents, if it is valid for the call as far as one can tell without its shares: its secret
 * matches, and it is neither over nor known to be used up. Reads its row if it is not remembered, unless `onlyKnown`:
 * then a token that this environment has never seen a right secret of is none, and a wrong guess costs no read.
 */
export async function validToken(
  shell: Shell,
  { text, source }: Presented,
  { onlyKnown }: { readonly onlyKnown: boolean } = { onlyKnown: false },
): Promise<OnboardingToken | undefined> {
  const parts = text === undefined ? undefined : parseSecret(text, 'mot');
  if (parts === undefined || typeof parts === 'string') return undefined;
  const known = knownTo(shell).get(parts.id);
  if (known?.isUsedUp || (!known && onlyKnown)) return undefined;
  const now = shell.now();
  const isFresh = known !== undefined && now - known.readAt < maxAgeMs;
  const token = isFresh ? known.token : await read(shell, onboardingTokenRef(parts.id));
  // The row of a token with shares says that all its uses are taken; its shares count.
  if (!token || faultOf(isShared(token) ? { ...token, used: 0 } : token, { secret: parts.secret, source }, now)) return undefined;
  if (!isFresh) rememberToken(shell, token);
  return token;
}

/** Remembers a token whose secret this environment has seen, or made. */
export function rememberToken(shell: Pick<Shell, 'caches' | 'now'>, token: OnboardingToken, isUsedUp = false): void {
  const known = knownTo(shell);
  known.set(token.id, { token, readAt: shell.now(), isUsedUp: isUsedUp || known.get(token.id)?.isUsedUp === true });
}
