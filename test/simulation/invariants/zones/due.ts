import { tickingRef } from '../../../../lib/ports/table/keys.ts';
import { nameOf, type Row } from '../../../../lib/ports/table/table.ts';
import type { Stations } from '../../../../lib/stations/stations.ts';
import type { Invariant } from '../invariant.ts';
import { countsMs } from '../station-rows.ts';

/** A few sweeps, in ms. */
const overdueMs = 60_000;

/**
 * A node whose lease holds may stay due (lib/runtime/shell.ts): there is nothing to do about it until that has run out.
 */
const isLeased = (body: unknown, now: number): boolean => ((body as { leaseUntil?: number } | null)?.leaseUntil ?? 0) > now;

/** Stations whose leases hold may stay due, too: the first that runs out has it looked after. */
function areHeard({ key, at, body }: Row, now: number): boolean {
  if (key.sk !== 'stations') return false;
  const { leases, former } = body as Stations;
  const ends = [...Object.values(leases).map(({ renewedAt }) => renewedAt + countsMs), ...(former ? [former.until] : [])];
  return Math.min(...ends.filter((end) => end > at)) > now;
}

/** What is due and never comes is worse than a timer that was lost: nobody would know. */
export const due: Invariant = {
  name: 'nothing-stays-due',
  says: 'only rows that the sweep knows are ever due, and once faults have ended it looks after each within a few sweeps; a node whose lease holds may stay due, and the stations of a zone while theirs do',
  begin: ({ kernel, violated }) => {
    const waiting = new Map<string, Row>();
    return {
      heedsMarks: true,
      committed: (changes) => {
        for (const { after } of changes) {
          if (after.wakeAt === undefined) waiting.delete(nameOf(after.key));
          else waiting.set(nameOf(after.key), after);
          if (after.wakeAt !== undefined && !tickingRef(after.key))
            violated(`${after.key.pk}|${after.key.sk} is due, and no sweep looks after it`);
        }
      },
      unrest: () =>
        [...waiting.values()]
          .filter((row) => row.wakeAt! < kernel.now - overdueMs && !isLeased(row.body, kernel.now) && !areHeard(row, kernel.now))
          .map(({ key, wakeAt, because }) => `${key.pk}|${key.sk} has been due for ${kernel.now - wakeAt!} ms: ${because}`),
    };
  },
};
