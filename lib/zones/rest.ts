/**
 * So many zones are counted as often as the host can afford to count one; of more, one in which nothing changes is
 * counted less often, so that counting never takes up the sweep.
 */
const zonesAtOnce = 200;

/**
 * How soon a zone in which nothing changed may be counted again in a deployment of so many zones, in ms; `everyMs` in
 * one of a few.
 */
export const restsFor = (everyMs: number, zones: number): number => Math.round(everyMs * Math.max(1, zones / zonesAtOnce));
