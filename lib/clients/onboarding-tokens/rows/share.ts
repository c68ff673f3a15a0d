import * as z from 'zod';
import { type Decision, nothing, write } from '../../../core/decision.ts';
import { EpochMs, plusMs } from '../../../core/time.ts';
import { faultOf, listedForMs, type OnboardingToken, type UseOfToken } from '../onboarding-token.ts';

/**
 * A part of the uses of a token, in a row of its own. Machines that knock at once count in different rows instead of
 * waiting for one. Together the shares accept exactly as many machines as the token. A share without a row has accepted
 * none.
 */
export const TokenShare = z.strictObject({
  uses: z.int().positive(),
  /** How many machines were accepted from this share. */
  used: z.int().nonnegative(),
  /** Since when it accepts no machine, because the token was revoked. */
  closedAt: EpochMs.optional(),
});
export type TokenShare = z.infer<typeof TokenShare>;

/** The most shares of a token: hundreds of knocks a second seldom meet in one of so many. */
export const sharesMax = 64;

/** The number of shares for so many uses; undefined for a single use, which the row of the token counts. */
export const sharesFor = (uses: number): number | undefined => (uses === 1 ? undefined : Math.min(sharesMax, uses));

/** The n-th share of a token before its first use. The uses of all shares add up to those of the token. */
export const newShare = ({ uses, shares }: Shared, n: number): TokenShare => ({
  uses: Math.floor(uses / shares) + (n < uses % shares ? 1 : 0),
  used: 0,
});

/** A token whose uses are divided. */
export type Shared = OnboardingToken & { readonly shares: number };
export const isShared = (token: OnboardingToken | undefined): token is Shared => token?.shares !== undefined;

/** The share that counts a machine first: by its fingerprint, so that nothing must be stored. */
export const shareOf = (fp: string, { shares }: Shared): number => Number.parseInt(fp.slice(-8), 16) % shares;

/** Whether a share accepts one more machine. */
export const hasRoom = ({ uses, used, closedAt }: TokenShare): boolean => closedAt === undefined && used < uses;

/** Decides what a use of its token means for a share. A refused use changes nothing, and `because` is the reason. */
export function useShare(token: Shared, share: TokenShare, command: UseOfToken, now: EpochMs): Decision<TokenShare> {
  const revokedAt = token.revokedAt ?? share.closedAt;
  const left = share.used < share.uses ? 0 : token.uses;
  const why = faultOf({ ...token, used: left, ...(revokedAt !== undefined && { revokedAt }) }, command, now);
  return why === undefined ? stored(token, { ...share, used: share.used + 1 }, `accepted ${command.fqdn}`) : nothing(why);
}

/** Closes a share of a token that was revoked. */
export const closeShare = (token: Shared, share: TokenShare, now: EpochMs): Decision<TokenShare> =>
  share.closedAt === undefined ? stored(token, { ...share, closedAt: now }, 'its token was revoked') : nothing('it is closed already');

/** It expires together with its token. */
const stored = (token: Shared, next: TokenShare, because: string): Decision<TokenShare> =>
  write<TokenShare, never>(next, because, { expiresAt: plusMs(token.expiresAt, listedForMs) });
