import { isHeardIn } from '../../../../events/reported/hears.ts';
import type { Invariant } from '../invariant.ts';
import { clusterSteps } from '../process-rows.ts';
import { isGivenUp, nodeSteps, told } from '../rows.ts';
import { heardAt, StationSets } from '../station-rows.ts';

/** What its neighbours reach is alive: the way to Muster is at fault. */
export const agreed: Invariant = {
  name: 'a-majority-agrees-that-a-node-is-down',
  says: 'in a zone with stations a silent node is given up only when more than half of all of them are heard and do not hear it either; what it says of itself, where it is a station, does not count',
  begin: ({ kernel, violated }) => {
    const sets = new StationSets();
    return {
      committed: (changes) => {
        for (const step of nodeSteps(changes)) {
          if (!isGivenUp(step)) continue;
          const { id, zone, index } = step.before!;
          const misses = sets.mayAgree(zone, step.row.at, ({ leases }, host) => {
            const hears = leases[host]?.node === id ? undefined : leases[host]?.hears;
            return hears !== undefined && index !== undefined && isHeardIn(hears, index) === false;
          });
          if (!misses) violated(`${told(step)}, and the stations do not agree`);
        }
        sets.take(changes, kernel.now);
      },
    };
  },
};

/** Whoever comes to a part of a site that is cut off from the rest may be there twice. */
export const firstAdmissions: Invariant = {
  name: 'first-admissions-wait-for-a-majority',
  says: 'in a zone with stations a host that was never a member becomes one only while more than half of these are heard',
  begin: ({ kernel, violated }) => {
    const sets = new StationSets();
    return {
      committed: (changes) => {
        // Its own node-up may be the word that makes the majority.
        sets.take(changes, kernel.now);
        for (const step of nodeSteps(changes)) {
          const { before, after } = step;
          if (before?.status !== 'waiting' || !after || after.status === 'waiting' || after.status === 'dropped') continue;
          if (!sets.mayAgree(after.zone, step.row.at)) violated(`${told(step)} without a majority of stations`);
        }
      },
    };
  },
};

/** Half of a site that starts what the other half stops destroys what both write. */
export const levelsHalt: Invariant = {
  name: 'levels-wait-for-a-majority',
  says: 'in a storage zone with stations levels change only while more than half of these are heard',
  begin: ({ kernel, violated }) => {
    const sets = new StationSets();
    return {
      committed: (changes) => {
        for (const { before, after, row } of clusterSteps(changes)) {
          if (!before || !after || before.level === after.level || sets.mayAgree(after.zone, row.at)) continue;
          const stations = sets.of(after.zone);
          violated(
            `level ${before.level} of ${after.zone} became ${after.level}, while ${stations && heardAt(stations, row.at).length} stations were heard`,
          );
        }
        sets.take(changes, kernel.now);
      },
    };
  },
};
