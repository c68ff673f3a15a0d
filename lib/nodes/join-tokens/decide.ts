import { isInside, readNetwork } from '../../core/cidr.ts';
import { type Decision, nothing, write } from '../../core/decision.ts';
import { type EpochMs, plusMs, unreachable } from '../../core/time.ts';
import { isSecret } from '../../identity/secret-text.ts';
import { isMeant, readPattern } from '../admission/rows/pattern.ts';
import type { Presented, TokenCommand } from './command.ts';
import { type JoinToken, listedForMs, statusOf } from './join-token.ts';

/**
 * Decides what making, using or revoking means for one token. A refused use changes nothing, and `because` gives the
 * reason.
 */
export function decide(token: JoinToken | undefined, command: TokenCommand, now: EpochMs): Decision<JoinToken> {
  if (command.type === 'create') return onCreate(token, command.token);
  if (!token) return nothing('no token has this id');
  switch (command.type) {
    case 'revoke':
      return token.revokedAt === undefined
        ? stored({ ...token, revokedAt: now }, 'revoked by an operator')
        : nothing('it is revoked already');
    case 'use':
      return onUse(token, command, now);
    default:
      return unreachable(command);
  }
}

const onCreate = (before: JoinToken | undefined, token: JoinToken): Decision<JoinToken> =>
  before
    ? nothing('a token of this id exists already')
    : stored(token, `made for ${token.nodes}${token.anyWatch ? ', whose hosts may be watched anywhere' : ''}`);

/** Counts one use of the token and records the host; the same host again takes no second use. */
function onUse(token: JoinToken, presented: Presented, now: EpochMs): Decision<JoinToken> {
  const why = faultOf(token, presented, now);
  if (why !== undefined) return nothing(why);
  const { fp, node, fqdn } = presented;
  if (isAdmitted(token, presented)) return nothing(`it admitted ${node} before`);
  return stored({ ...token, admitted: [...token.admitted, { fp, node, at: now }] }, `admitted ${fqdn} as ${node}`);
}

/**
 * Why a token does not admit a host; undefined when it does. The secret is checked first, so that a host without it
 * learns nothing else.
 */
export function faultOf(token: JoinToken, presented: Presented, now: EpochMs): string | undefined {
  if (!isSecret(presented.secret, token.hash)) return 'the secret is not that of this token';
  const status = statusOf(token, now);
  if (status !== 'valid' && !(status === 'used' && isAdmitted(token, presented))) return `the token is ${status}`;
  if (presented.kind !== token.kind) return `the token is for hosts of kind ${token.kind}, not ${presented.kind}`;
  if (!isMeant(readPattern(token.nodes) ?? [], presented.fqdn)) return `the token is for ${token.nodes}, not ${presented.fqdn}`;
  const network = token.cidr === undefined ? undefined : readNetwork(token.cidr);
  if (network && !isInside(network, presented.source)) return `the token is for ${token.cidr}, not ${presented.source}`;
  if (presented.outSince !== undefined && presented.outSince >= token.createdAt)
    return 'the token was made before an operator removed or rejected this host';
  return undefined;
}

const isAdmitted = ({ admitted }: JoinToken, { fp }: Presented): boolean => admitted.some((one) => one.fp === fp);

const stored = (next: JoinToken, because: string): Decision<JoinToken> =>
  write<JoinToken, never>(next, because, { expiresAt: plusMs(next.expiresAt, listedForMs) });
