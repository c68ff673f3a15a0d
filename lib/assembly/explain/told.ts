import { type Row, stateReasonOf } from '../../ports/table/table.ts';
import type { Explanation } from './routes.ts';

/** The standing decision of a row: why, since when, by which input and whom, and when the row is due again. */
export function lastDecision(row: Row): Pick<Explanation, 'because' | 'since' | 'by' | 'who' | 'looksAgainAt'> {
  const { at, ...stands } = stateReasonOf(row);
  return {
    ...stands,
    since: new Date(at).toISOString(),
    ...(row.wakeAt !== undefined && { looksAgainAt: new Date(row.wakeAt).toISOString() }),
  };
}

/**
 * The last commit of a row that left its standing decision, if there is one: an edit, or a report of the system that
 * vouches for it.
 */
export const lastAside = ({ stands, because, at, actor }: Row): Explanation['also'] =>
  stands
    ? [
        {
          subject: actor ? `${actor.source === 'ingest' ? 'reported' : 'edited'} by ${actor.who}` : 'edited',
          because,
          at: new Date(at).toISOString(),
        },
      ]
    : [];
