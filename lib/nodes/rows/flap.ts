import * as z from 'zod';
import { EpochMs, plusMs } from '../../core/time.ts';

/** How often a node was recently lost and came back: a score as of a moment. */
export const Flap = z.strictObject({ score: z.number().positive(), at: EpochMs });
export type Flap = z.infer<typeof Flap>;

/** The half-life of a score in ms: an hour, as Ceph forgets how laggy a daemon was. */
export const flapHalvesMs = 3_600_000;
/** Above this score a node takes no new clients: the fifth return within an hour or so. */
export const flapMax = 4;
/** Below this one it takes them again: two to three hours without a loss. */
export const flapCalm = 1;

/** The score at a moment; 0 for a node that was never lost. */
export const flapScore = (flap: Flap | undefined, now: EpochMs): number =>
  flap === undefined ? 0 : flap.score * 2 ** (-Math.max(0, now - flap.at) / flapHalvesMs);

/** The score after one more return from down, rounded to a tenth so that the row stays small. */
export const flappedAgain = (flap: Flap | undefined, now: EpochMs): Flap => ({
  score: Math.round((flapScore(flap, now) + 1) * 10) / 10,
  at: now,
});

/** When a score will be below {@link flapCalm}. */
export const flapCalmAt = ({ score, at }: Flap): EpochMs =>
  plusMs(at, Math.max(0, Math.ceil(flapHalvesMs * Math.log2(score / flapCalm))) + 1);

/** The fields of a node's row that determine how long it may be silent. */
type Leased = {
  readonly flap?: Flap | undefined;
  readonly heardAt?: EpochMs | undefined;
  readonly joinedAt: EpochMs;
  readonly leaseUntil: EpochMs;
};

/**
 * Until when a node may be silent (guard-rail 11): its lease, and as much again for each point of the score that it had
 * when it was last heard. Muster waits longer for a node that comes and goes, so that its clients are not moved back
 * and forth.
 */
export function missedAt({ flap, heardAt, joinedAt, leaseUntil }: Leased): EpochMs {
  const since = heardAt ?? joinedAt;
  return plusMs(leaseUntil, Math.round((leaseUntil - since) * flapScore(flap, since)));
}

/** The condition that ends a quarantine, as text. */
export function quarantineEnds({ reason, flap }: { readonly reason: string; readonly flap?: Flap | undefined }): string {
  if (reason !== 'flapping' || !flap) return 'an operator ends it';
  return `its flap score falls below ${flapCalm} at ${new Date(flapCalmAt(flap)).toISOString()}, or an operator ends it (rule 11)`;
}
