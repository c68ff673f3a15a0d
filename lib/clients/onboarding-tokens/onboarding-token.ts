import * as z from 'zod';
import { Lineage } from '../../access/subjects/rows/lineage.ts';
import { Cidr, isInside, readNetwork } from '../../core/cidr.ts';
import { type Fqdn, Tag, ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { dayMs, EpochMs } from '../../core/time.ts';
import { isSecret, secretIdForm } from '../../identity/secret-text.ts';

/** How long a token is good for unless told otherwise: for the machines that are set up today. */
export const goodForMs = dayMs;
/** How long a token may be good for at the most; whoever carries it in an image renews the image within a year. */
export const goodForMsMax = 365 * dayMs;
/** The most machines one token accepts: as many as a deployment is made for. */
export const usesMax = 1_000_000;
/** How long a token is shown after its end. */
export const shownForMs = 30 * dayMs;

/** The public part of an onboarding token. */
export const OnboardingTokenId = z
  .string()
  .regex(secretIdForm, 'the id of a token is 12 lower-case letters and digits')
  .brand<'OnboardingTokenId'>();
export type OnboardingTokenId = z.infer<typeof OnboardingTokenId>;

/**
 * An onboarding token's row: into which zone it accepts machines, with which tags and groups, how many, until when. Of
 * the secret only a hash is kept.
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
   * How many machines it has accepted. Where its uses are divided all are given out here, and the shares count
   * (share.ts).
   */
  used: z.int().nonnegative(),
  /** Into how many shares its uses are divided; absent where this row counts. */
  shares: z.int().positive().optional(),
  createdAt: EpochMs,
  expiresAt: EpochMs,
  revokedAt: EpochMs.optional(),
  /** What it was made by, and with; absent in a row from before that was written. */
  madeBy: Lineage.optional(),
});
export type OnboardingToken = z.infer<typeof OnboardingToken>;

/** Whether a token accepts machines still; its own end is seen by the clock. */
export type OnboardingTokenStatus = 'valid' | 'used' | 'expired' | 'revoked';

/** What a token is good for now. */
export function statusOf({ revokedAt, expiresAt, uses, used }: OnboardingToken, now: EpochMs): OnboardingTokenStatus {
  if (revokedAt !== undefined) return 'revoked';
  if (used >= uses) return 'used';
  return expiresAt <= now ? 'expired' : 'valid';
}

/** A machine shows a secret, and calls from `source`. */
export type UseOfToken = {
  readonly type: 'use';
  readonly id: string;
  readonly secret: string;
  readonly source: string;
  readonly fqdn: Fqdn;
};

/**
 * Why a token does not accept a machine; undefined when it does. The secret first: without it, nothing else is looked
 * at.
 */
export function faultOf(token: OnboardingToken, { secret, source }: UseOfToken, now: EpochMs): string | undefined {
  if (!isSecret(secret, token.hash)) return 'the secret is not that of this token';
  const status = statusOf(token, now);
  if (status !== 'valid') return status === 'used' ? `it has accepted ${token.uses} already` : `it is ${status}`;
  const network = token.cidr === undefined ? undefined : readNetwork(token.cidr);
  return network && !isInside(network, source) ? `it is for ${token.cidr}, not ${source}` : undefined;
}

/** The row of an onboarding token. */
export const onboardingTokenRef = refOf('onboarding-token', OnboardingToken);
