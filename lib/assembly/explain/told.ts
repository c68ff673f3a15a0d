import { type Row, standsOf } from '../../ports/table/table.ts';
import type { Explanation } from './routes.ts';

/** Why what a row is about stands as it does, since when, by which input and whom, and when it is looked at again. */
export function told(row: Row): Pick<Explanation, 'because' | 'since' | 'by' | 'who' | 'looksAgainAt'> {
  const { at, ...stands } = standsOf(row);
  return {
    ...stands,
    since: new Date(at).toISOString(),
    ...(row.wakeAt !== undefined && { looksAgainAt: new Date(row.wakeAt).toISOString() }),
  };
}

/**
 * What its last commit said of something beside how it stands, where it did: that it was edited, or what whoever
 * vouches for it said.
 */
export const toldAside = ({ stands, because, at, actor }: Row): Explanation['also'] =>
  stands
    ? [
        {
          subject: actor ? `${actor.source === 'ingest' ? 'said' : 'edited'} by ${actor.who}` : 'edited',
          because,
          at: new Date(at).toISOString(),
        },
      ]
    : [];
