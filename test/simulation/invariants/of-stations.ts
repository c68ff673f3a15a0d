import { agreed, firstAdmissions, levelsHalt } from './halts.ts';
import type { Invariant } from './invariant.ts';
import { elections, epochs, groupBack, oneActs, sets } from './stations.ts';

/** What is promised of stations, and of what waits for a majority of them. */
export const ofStations: readonly Invariant[] = [agreed, elections, epochs, firstAdmissions, groupBack, levelsHalt, oneActs, sets];
