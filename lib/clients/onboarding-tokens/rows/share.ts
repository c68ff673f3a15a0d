import * as z from 'zod';
import { type Decision, nothing, write } from '../../../core/decision.ts';
import { EpochMs, plusMs } from '../../../core/time.ts';
import { faultOf, type OnboardingToken, shownForMs, type UseOfToken } from '../onboarding-token.ts';

/**
 * A part of a token's uses, in a row of its own, so that machines that knock at once count in different rows: all of
 * them in one row would wait for each other. What the shares may accept is together exactly what the token may; a row
 * that is not there has accepted nobody.
 */
export const TokenShare = z.strictObject({
  uses: z.int().positive(),
  /** How many machines were accepted from this share. */
  used: z.int().nonnegative(),
  /** Since when nobody is accepted from it, because the token was revoked. */
  closedAt: EpochMs.optional(),
});
export type TokenShare = z.infer<typeof TokenShare>;

/** Into how many shares uses are divided at the most: hundreds of knocks a second seldom meet in one of so many. */
export const sharesMax = 64;

/** Into how many shares so many uses are divided; undefined for a single use, which the token's own row counts. */
export const sharesFor = (uses: number): number | undefined => (uses === 1 ? undefined : Math.min(sharesMax, uses));

/** The n-th share of a token as it begins; all of a token's come to its uses. */
export const newShare = ({ uses, shares }: Shared, n: number): TokenShare => ({
  uses: Math.floor(uses / shares) + (n < uses % shares ? 1 : 0),
  used: 0,
});

/** A token whose uses are divided. */
export type Shared = OnboardingToken & { readonly shares: number };
export const isShared = (token: OnboardingToken | undefined): token is Shared => token?.shares !== undefined;

/** In which share a machine is counted first: by its fingerprint, so that nothing has to be remembered. */
export const shareOf = (fp: string, { shares }: Shared): number => Number.parseInt(fp.slice(-8), 16) % shares;

/** Whether a share accepts one more. */
export const hasRoom = ({ uses, used, closedAt }: TokenShare): boolean => closedAt === undefined && used < uses;

/**
 * Decides what it means for a share that a machine shows its token's secret. A use that is refused changes nothing, and
 * `because` says why.
 */
export function useShare(token: Shared, share: TokenShare, command: UseOfToken, now: EpochMs): Decision<TokenShare> {
  const revokedAt = token.revokedAt ?? share.closedAt;
  const left = share.used < share.uses ? 0 : token.uses;
  const why = faultOf({ ...token, used: left, ...(revokedAt !== undefined && { revokedAt }) }, command, now);
  return why === undefined ? kept(token, { ...share, used: share.used + 1 }, `accepted ${command.fqdn}`) : nothing(why);
}

/** Closes a share of a token that was revoked. */
export const closeShare = (token: Shared, share: TokenShare, now: EpochMs): Decision<TokenShare> =>
  share.closedAt === undefined ? kept(token, { ...share, closedAt: now }, 'its token was revoked') : nothing('it is closed already');

/** It is there for as long as its token is. */
const kept = (token: Shared, next: TokenShare, because: string): Decision<TokenShare> =>
  write<TokenShare, never>(next, because, { expiresAt: plusMs(token.expiresAt, shownForMs) });
