import { type Decision, nothing, write } from '../../core/decision.ts';
import { type EpochMs, plusMs, unreachable } from '../../core/time.ts';
import { faultOf, listedForMs, type OnboardingToken, type UseOfToken } from './onboarding-token.ts';

/**
 * A command of a handler to the row of a token: an administrator's order, or the use by a machine that presents its
 * secret and calls from `source`.
 */
export type OnboardingTokenCommand =
  | { readonly type: 'create'; readonly id: string; readonly token: OnboardingToken }
  | { readonly type: 'revoke'; readonly id: string }
  | UseOfToken;

/**
 * Decides what creating, using or revoking means for one token. A refused use changes nothing, and `because` is the
 * reason.
 */
export function decide(token: OnboardingToken | undefined, command: OnboardingTokenCommand, now: EpochMs): Decision<OnboardingToken> {
  if (command.type === 'create')
    return token ? nothing('a token with this id exists already') : stored(command.token, 'made by an administrator');
  if (!token) return nothing('no token has this id');
  switch (command.type) {
    case 'revoke':
      return token.revokedAt === undefined ? stored({ ...token, revokedAt: now }, 'revoked') : nothing('it is revoked already');
    case 'use': {
      const why = faultOf(token, command, now);
      return why === undefined ? stored({ ...token, used: token.used + 1 }, `accepted ${command.fqdn}`) : nothing(why);
    }
    default:
      return unreachable(command);
  }
}

const stored = (next: OnboardingToken, because: string): Decision<OnboardingToken> =>
  write<OnboardingToken, never>(next, because, { expiresAt: plusMs(next.expiresAt, listedForMs) });
