import type { Explanation } from '../../api/views.ts';
import type { Row } from '../../table/table.ts';

/** What a row says of its last decision: why, when, by which input and whom, and when it is looked at again. */
export const told = (row: Row): Pick<Explanation, 'because' | 'since' | 'by' | 'who' | 'looksAgainAt'> => ({
  because: row.because,
  since: new Date(row.at).toISOString(),
  by: row.by,
  ...(row.actor && { who: row.actor.who }),
  ...(row.wakeAt !== undefined && { looksAgainAt: new Date(row.wakeAt).toISOString() }),
});
