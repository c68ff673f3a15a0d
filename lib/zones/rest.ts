/**
 * Up to this many zones are each counted as often as the host can afford. With more, an unchanged zone is counted less
 * often, so that counting never takes up the sweep.
 */
const zonesAtOnce = 200;

/**
 * How soon an unchanged zone may be counted again in a deployment of this many zones, in ms; `everyMs` when there are
 * few.
 */
export const restsFor = (everyMs: number, zones: number): number => Math.round(everyMs * Math.max(1, zones / zonesAtOnce));
