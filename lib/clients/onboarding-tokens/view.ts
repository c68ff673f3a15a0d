import type { EpochMs } from '../../core/time.ts';
import { type OnboardingToken, perMinuteOf, statusOf } from './onboarding-token.ts';
import type { OnboardingTokenView } from './routes.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** A token's row as the API and the CLI show it, without the hash of its secret. */
export function onboardingTokenView(token: OnboardingToken, now: EpochMs): OnboardingTokenView {
  const { id, zone, tags, groups, cidr, uses, used, createdAt, expiresAt, revokedAt } = token;
  return {
    id,
    status: statusOf(token, now),
    zone,
    tags,
    groups,
    uses,
    used,
    perMinute: perMinuteOf(token),
    createdAt: iso(createdAt),
    expiresAt: iso(expiresAt),
    ...(cidr !== undefined && { cidr }),
    ...(revokedAt !== undefined && { revokedAt: iso(revokedAt) }),
  };
}
