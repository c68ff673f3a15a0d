import type { LoadedZone } from '../zones/rows/loaded.ts';

/**
 * How much earlier than asked for the answer begins, in s: a later commit may come from an environment whose clock is
 * behind. A revocation that is reported twice only costs another request.
 */
const overlapS = 60;

/**
 * The client systems whose place in a zone was revoked since a moment, in s. `everybody` is set if there were so many
 * that they were folded into one moment.
 */
export function revokedSince(
  { revokedAt, tokensBefore, revokedVersion }: Pick<LoadedZone, 'revokedAt' | 'tokensBefore' | 'revokedVersion'>,
  sinceS: number,
): { version: number; at: number; systems: string[]; everybody: boolean } {
  const fromS = sinceS - overlapS;
  const tops = [...revokedAt].flatMap(([top, at]) => (at >= fromS ? [top] : []));
  return {
    version: revokedVersion,
    at: Math.max(tokensBefore, ...revokedAt.values()),
    systems: tops.map((top) => top.toString(16).padStart(8, '0')).sort(),
    everybody: tokensBefore > 0 && tokensBefore >= fromS,
  };
}
