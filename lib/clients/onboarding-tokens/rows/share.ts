import * as z from 'zod';
import { type Decision, nothing, write } from '../../../core/decision.ts';
import { type Rate, take } from '../../../core/rate.ts';
import { EpochMs, plusMs, secondMs } from '../../../core/time.ts';
import { faultOf, listedForMs, type OnboardingToken, perMinuteOf, type UseOfToken } from '../onboarding-token.ts';

/**
 * A part of the uses of a token, in a row of its own. Machines that knock at once count in different rows instead of
 * waiting for one. Together the shares accept exactly as many machines as the token. A share without a row has accepted
 * none.
 */
export const TokenShare = z.strictObject({
  uses: z.int().positive(),
  /** How many machines were accepted from this share. */
  used: z.int().nonnegative(),
  /** How many it may still accept at once, as of a moment; absent before its first use, and in earlier versions. */
  pace: z.strictObject({ tokens: z.number(), at: EpochMs }).optional(),
  /** Since when it accepts no machine, because the token was revoked. */
  closedAt: EpochMs.optional(),
});
export type TokenShare = z.infer<typeof TokenShare>;

/** The most shares of a token: hundreds of knocks a second seldom meet in one of so many. */
export const sharesMax = 64;

/**
 * How many seconds' worth of machines a share accepts at once after a pause. Machines come to the shares unevenly; over
 * ten seconds that evens out.
 */
const burstS = 10;
const perMinuteMin = 60 / burstS;

/**
 * The number of shares for so many uses and so many machines a minute; undefined for a single use, which the row of the
 * token counts. Each share gets at least one machine in ten seconds, so that its part of the pace is a whole number.
 */
export const sharesFor = (uses: number, perMinute: number): number | undefined =>
  uses === 1 ? undefined : Math.min(sharesMax, uses, Math.max(1, Math.floor(perMinute / perMinuteMin)));

/**
 * The pace of one share of a token. All shares together accept at most the token's machines a minute, and after a pause
 * ten seconds' worth of them, or one each, at once besides.
 */
export function paceOf(token: Shared): Rate {
  const part = Math.floor(perMinuteOf(token) / token.shares);
  return { perSecond: part / 60, burst: Math.max(1, Math.floor(part / perMinuteMin)) };
}

/**
 * How far the clocks of two environments may differ. A pace that is further ahead is of a clock that was wrong, and
 * does not count.
 */
const clocksApartMs = 10 * secondMs;

/** The next pace of a share that accepts one more machine now, or the ms that the machine must wait. */
function paced(token: Shared, { pace }: TokenShare, now: EpochMs): ReturnType<typeof take> {
  const before = pace && pace.at <= plusMs(now, clocksApartMs) ? pace : undefined;
  return take(before, paceOf(token), before && before.at > now ? before.at : now);
}

/** How many ms a machine must wait until this share may accept it; 0 when it may now. */
export const waitFor = (token: Shared, share: TokenShare, now: EpochMs): number => paced(token, share, now).waitMs;

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

/** How many more machines a share accepts, its pace aside. */
export const roomOf = ({ uses, used, closedAt }: TokenShare): number => (closedAt === undefined ? Math.max(0, uses - used) : 0);

/** Whether a share accepts one more machine, its pace aside. */
export const hasRoom = (share: TokenShare): boolean => roomOf(share) > 0;

/** Why a share does not accept a machine, its pace aside; undefined when it does. */
export function faultOfShare(token: Shared, share: TokenShare, command: UseOfToken, now: EpochMs): string | undefined {
  const revokedAt = token.revokedAt ?? share.closedAt;
  const left = share.used < share.uses ? 0 : token.uses;
  return faultOf({ ...token, used: left, ...(revokedAt !== undefined && { revokedAt }) }, command, now);
}

/** Decides what a use of its token means for a share. A refused use changes nothing, and `because` is the reason. */
export function useShare(token: Shared, share: TokenShare, command: UseOfToken, now: EpochMs): Decision<TokenShare> {
  const why = faultOfShare(token, share, command, now);
  if (why !== undefined) return nothing(why);
  const { bucket, waitMs } = paced(token, share, now);
  if (waitMs > 0) return nothing(`it accepts ${perMinuteOf(token)} machines a minute`);
  return stored(token, { ...share, used: share.used + 1, pace: bucket }, `accepted ${command.fqdn}`);
}

/** Closes a share of a token that was revoked. */
export const closeShare = (token: Shared, share: TokenShare, now: EpochMs): Decision<TokenShare> =>
  share.closedAt === undefined ? stored(token, { ...share, closedAt: now }, 'its token was revoked') : nothing('it is closed already');

/** It expires together with its token. */
const stored = (token: Shared, next: TokenShare, because: string): Decision<TokenShare> =>
  write<TokenShare, never>(next, because, { expiresAt: plusMs(token.expiresAt, listedForMs) });
