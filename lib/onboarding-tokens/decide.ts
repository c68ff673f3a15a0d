import { isInside, readNetwork } from '../admission/cidr.ts';
import { type Decision, nothing, write } from '../decision.ts';
import { isSecret } from '../identity/secret-text.ts';
import type { Fqdn } from '../ids.ts';
import { type EpochMs, plusMs, unreachable } from '../units.ts';
import { type OnboardingToken, shownForMs, statusOf } from './onboarding-token.ts';

/** What a door asks of a token's row: an administrator's word, or a machine that shows its secret and calls from `source`. */
export type OnboardingTokenCommand =
  | { readonly type: 'create'; readonly id: string; readonly token: OnboardingToken }
  | { readonly type: 'revoke'; readonly id: string }
  | UseOfToken;

/** A machine shows a secret, and calls from `source`. */
export type UseOfToken = {
  readonly type: 'use';
  readonly id: string;
  readonly secret: string;
  readonly source: string;
  readonly fqdn: Fqdn;
};

/** Decides what making, using or revoking means for one token. A use that is refused changes nothing, and `because` says why. */
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

/** Why a token does not accept a machine; undefined when it does. The secret first: without it, nothing else is looked at. */
export function faultOf(token: OnboardingToken, { secret, source }: UseOfToken, now: EpochMs): string | undefined {
  if (!isSecret(secret, token.hash)) return 'the secret is not that of this token';
  const status = statusOf(token, now);
  if (status !== 'valid') return status === 'used' ? `it has accepted ${token.uses} already` : `it is ${status}`;
  const network = token.cidr === undefined ? undefined : readNetwork(token.cidr);
  return network && !isInside(network, source) ? `it is for ${token.cidr}, not ${source}` : undefined;
}

const kept = (next: OnboardingToken, because: string): Decision<OnboardingToken> =>
  write<OnboardingToken, never>(next, because, { expiresAt: plusMs(next.expiresAt, shownForMs) });
