import type { LoadedZone } from '../zones/rows/loaded.ts';

/**
 * How much earlier than asked for revocations are told of, in s: whoever commits one later may have a clock that is
 * behind. What is told twice costs a question.
 */
const overlapS = 60;

/**
 * Whose place in a zone was revoked since a moment, in s; `everybody` where so many were that they were folded into one
 * moment.
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
