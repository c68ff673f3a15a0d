import { type Rates, usualRates } from '../../lib/runtime/rates.ts';

/**
 * How often callers may call where a site is brought in beside others: so seldom that a few dozen calls are too many.
 */
export const narrowRates: Rates = {
  ...usualRates,
  source: { perSecond: 4, burst: 20 },
  token: { perSecond: 4, burst: 20 },
};
