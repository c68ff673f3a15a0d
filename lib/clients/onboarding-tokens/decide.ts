import { type Decision, nothing, write } from '../../core/decision.ts';
import { type EpochMs, plusMs, unreachable } from '../../core/time.ts';
import { faultOf, type OnboardingToken, shownForMs, type UseOfToken } from './onboarding-token.ts';

/**
 * What a door asks of a token's row: an administrator's word, or a machine that shows its secret and calls from
 * `source`.
 */
export type OnboardingTokenCommand =
  | { readonly type: 'create'; readonly id: string; readonly token: OnboardingToken }
  | { readonly type: 'revoke'; readonly id: string }
  | UseOfToken;

/**
 * Decides what making, using or revoking means for one token. A use that is refused changes nothing, and `because` says
 * why.
 */
export function decide(token: OnboardingToken | undefined, command: OnboardingTokenCommand, now: EpochMs): Decision<OnboardingToken> {
  if (command.type === 'create') return token ? nothing('there is such a token') : kept(command.token, 'made by an administrator');
  if (!token) return nothing('no token has this id');
  switch (command.type) {
    case 'revoke':
      return token.revokedAt === undefined ? kept({ ...token, revokedAt: now }, 'revoked') : nothing('it is revoked already');
    case 'use': {
      const why = faultOf(token, command, now);
      return why === undefined ? kept({ ...token, used: token.used + 1 }, `accepted ${command.fqdn}`) : nothing(why);
    }
    default:
      return unreachable(command);
  }
}

const kept = (next: OnboardingToken, because: string): Decision<OnboardingToken> =>
  write<OnboardingToken, never>(next, because, { expiresAt: plusMs(next.expiresAt, shownForMs) });
