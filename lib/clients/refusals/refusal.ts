import * as z from 'zod';
import { ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs, hourMs } from '../../core/time.ts';

/** How long a refusal is shown after it last happened. */
export const shownForMs = hourMs;
/** The most refusals of one row, some 250 bytes each: the rarest and the longest ago make room. */
export const refusalsMax = 32;
/** The number of rows. A call is noted in one of them by its id, so that environments seldom meet in one. */
export const refusalRows = 8;

/**
 * Knocks that were refused for one reason, from one network address, with one token. `token` and `zone` are set where
 * they brought the secret of a token that exists; `because` is why a token did not accept them. Never a secret.
 */
export const RefusedKnocks = z.strictObject({
  reason: z.string().max(40),
  because: z.string().max(160).optional(),
  source: z.string().max(50),
  token: z.string().max(12).optional(),
  zone: ZoneName.optional(),
  count: z.int().positive(),
  firstAt: EpochMs,
  lastAt: EpochMs,
});
export type RefusedKnocks = z.infer<typeof RefusedKnocks>;

/** A row of knocks that were refused lately. */
export const Refusals = z.strictObject({ refused: z.array(RefusedKnocks).max(refusalsMax) });
export type Refusals = z.infer<typeof Refusals>;

/** The n-th row of refused knocks. */
export const refusalsRef = refOf('onboarding-refusals', Refusals, (n: number) => String(n));

/** What makes two refusals the same. */
const nameOf = ({ reason, because, source, token }: RefusedKnocks): string => JSON.stringify([reason, because, source, token]);

/** All of these refusals, the same ones added up, without those that are no longer shown; the latest come first. */
export function addedUp(all: readonly RefusedKnocks[], now: EpochMs): RefusedKnocks[] {
  const sums = new Map<string, RefusedKnocks>();
  for (const one of all) {
    if (one.lastAt + shownForMs <= now) continue;
    const name = nameOf(one);
    const sum = sums.get(name);
    sums.set(name, sum ? together(sum, one) : one);
  }
  return [...sums.values()].sort((a, b) => b.lastAt - a.lastAt || b.count - a.count);
}

const together = (a: RefusedKnocks, b: RefusedKnocks): RefusedKnocks => ({
  ...a,
  count: a.count + b.count,
  firstAt: a.firstAt < b.firstAt ? a.firstAt : b.firstAt,
  lastAt: a.lastAt > b.lastAt ? a.lastAt : b.lastAt,
});
