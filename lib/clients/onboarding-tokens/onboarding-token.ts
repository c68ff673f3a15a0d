import * as z from 'zod';
import { Lineage } from '../../access/subjects/rows/lineage.ts';
import { Cidr, isInside, readNetwork } from '../../core/cidr.ts';
import { type Fqdn, Tag, ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { dayMs, EpochMs } from '../../core/time.ts';
import { isSecret, secretIdForm } from '../../identity/secret-text.ts';

/** How long a token is valid by default: for the machines that are set up today. */
export const goodForMs = dayMs;
/** The longest validity of a token; an image that contains one must be renewed within a year. */
export const goodForMsMax = 365 * dayMs;
/** The most machines that one token accepts: as many as a deployment is made for. */
export const usesMax = 1_000_000;
/**
 * How many machines a token accepts a minute by default: 500 a second. An embedded host on two quiet cores took 350 a
 * second beside the load generator, so a fleet comes in as fast as its deployment takes it, and what is half as much
 * again is turned away before its knocks cost a write (docs/decisions/0101-a-token-has-limits-of-its-own.md).
 */
export const usualPerMinute = 30_000;
/** The most a minute: twice what one token's shares bear on DynamoDB without meeting each other often. */
export const perMinuteMax = 60_000;
/** How long a token is listed after its end. */
export const listedForMs = 30 * dayMs;

/** The public part of an onboarding token. */
export const OnboardingTokenId = z
  .string()
  .regex(secretIdForm, 'the id of a token is 12 lower-case letters and digits')
  .brand<'OnboardingTokenId'>();
export type OnboardingTokenId = z.infer<typeof OnboardingTokenId>;

/**
 * The row of an onboarding token: the zone, tags and groups of the machines that it accepts, how many, and until when.
 * Only a hash of the secret is stored.
 */
export const OnboardingToken = z.strictObject({
  id: OnboardingTokenId,
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  zone: ZoneName,
  tags: z.array(Tag),
  groups: z.array(Tag),
  cidr: Cidr.optional(),
  uses: z.int().positive().max(usesMax),
  /**
   * How many machines it has accepted. If its uses are divided, this is all of them, and the shares count (share.ts).
   */
  used: z.int().nonnegative(),
  /** The number of shares that its uses are divided into; absent if this row counts. */
  shares: z.int().positive().optional(),
  /** The most machines that it accepts a minute; absent in rows from before that was limited. */
  perMinute: z.int().positive().max(perMinuteMax).optional(),
  createdAt: EpochMs,
  expiresAt: EpochMs,
  revokedAt: EpochMs.optional(),
  /** The credential that made it; absent in rows from before that was recorded. */
  madeBy: Lineage.optional(),
});
export type OnboardingToken = z.infer<typeof OnboardingToken>;

/** The most machines that a token accepts a minute. */
export const perMinuteOf = ({ perMinute }: OnboardingToken): number => perMinute ?? usualPerMinute;

/** Whether a token still accepts machines; the clock determines its expiry. */
export type OnboardingTokenStatus = 'valid' | 'used' | 'expired' | 'revoked';

/** The present status of a token. */
export function statusOf({ revokedAt, expiresAt, uses, used }: OnboardingToken, now: EpochMs): OnboardingTokenStatus {
  if (revokedAt !== undefined) return 'revoked';
  if (used >= uses) return 'used';
  return expiresAt <= now ? 'expired' : 'valid';
}

/** A machine presents a secret, and calls from `source`. */
export type UseOfToken = {
  readonly type: 'use';
  readonly id: string;
  readonly secret: string;
  readonly source: string;
  readonly fqdn: Fqdn;
};

/**
 * Why a token does not accept a machine; undefined when it does. The secret is checked first: without it, nothing else
 * is checked.
 */
export function faultOf(
  token: OnboardingToken,
  { secret, source }: Pick<UseOfToken, 'secret' | 'source'>,
  now: EpochMs,
): string | undefined {
  if (!isSecret(secret, token.hash)) return 'the secret does not match this token';
  const status = statusOf(token, now);
  if (status !== 'valid') return status === 'used' ? `it has accepted ${token.uses} already` : `it is ${status}`;
  const network = token.cidr === undefined ? undefined : readNetwork(token.cidr);
  return network && !isInside(network, source) ? `it is for ${token.cidr}, not ${source}` : undefined;
}

/** The row of an onboarding token. */
export const onboardingTokenRef = refOf('onboarding-token', OnboardingToken);
