import type { Invariant } from '../invariant.ts';
import { agreed, firstAdmissions, levelsHalt } from './halts.ts';
import { whoHangsIsNotHeard } from './hung.ts';
import { cyclesBraked, ordersEnd, ordersEndTrue, ordersRunOnce, passwordsStay, ruleWaits } from './site-orders.ts';
import { elections, epochs, groupBack, ofTheZone, oneActs, sets } from './stations.ts';

/** What is promised of stations, of what waits for a majority of them, and of what one of them does on site. */
export const ofStations: readonly Invariant[] = [
  agreed,
  cyclesBraked,
  elections,
  epochs,
  firstAdmissions,
  groupBack,
  levelsHalt,
  ofTheZone,
  oneActs,
  ordersEnd,
  ordersEndTrue,
  ordersRunOnce,
  passwordsStay,
  ruleWaits,
  sets,
  whoHangsIsNotHeard,
];
