import * as z from 'zod';
import { Fqdn } from '../../core/ids.ts';
import { EpochMs } from '../../core/time.ts';

/** A lost node, since when, and about how many client systems it had. */
const lost = { fqdn: Fqdn, since: EpochMs, clients: z.int().nonnegative() };

/**
 * A loss that is not over. `placedAt`: when the last of its slots had a serving node, absent while one waits for that.
 * `until`: when the last of its clients has its turn there. `againAt`: when the node was last lost, if it was back in
 * between. `late`: whether Muster has reported that recovery takes longer than the zone's RTO, by forecast or in fact.
 */
export const Recovering = z.strictObject({
  ...lost,
  index: z.int().nonnegative(),
  againAt: EpochMs.optional(),
  placedAt: EpochMs.optional(),
  until: EpochMs.optional(),
  late: z.enum(['forecast', 'actual']).optional(),
});
export type Recovering = z.infer<typeof Recovering>;

/** A loss that is over: `at` is when the last of its clients had its turn. */
export const Recovered = z.strictObject({ ...lost, at: EpochMs });
export type Recovered = z.infer<typeof Recovered>;
