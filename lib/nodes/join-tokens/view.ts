import { showFingerprint } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { type JoinToken, statusOf } from './join-token.ts';
import type { NodeTokenView } from './routes.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** A token's row as the API and the CLI show it, without the hash of its secret. */
export function tokenView(token: JoinToken, now: EpochMs): NodeTokenView {
  const { id, nodes, kind, zone, cidr, uses, anyWatch, createdAt, expiresAt, revokedAt, admitted } = token;
  return {
    id,
    status: statusOf(token, now),
    nodes,
    kind,
    zone,
    uses,
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
    admitted: admitted.map(({ fp, node, at }) => ({ fingerprint: showFingerprint(fp), node, at: iso(at) })),
    ...(cidr !== undefined && { cidr }),
    ...(anyWatch && { anyWatch }),
    ...(revokedAt !== undefined && { revokedAt: iso(revokedAt) }),
  };
}
