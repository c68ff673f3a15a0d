import type { Invariant } from './invariant.ts';
import { asked, believed, nobodyMissed } from './missed.ts';
import { saysWhomItMisses } from './says-missed.ts';
import { givenOnce, servedOnce } from './served-once.ts';
import { serviceAttempts, stoppedStays } from './service-attempts.ts';
import { servicesMove } from './service-moves.ts';
import { serviceNames, serviceResources } from './service-names.ts';
import { serviceWords } from './service-words.ts';
import { servicesAsWanted } from './services-as-wanted.ts';
import { watchedAtTheEnd, watchSets } from './watch-sets.ts';

/** What is promised of services and of what they hold. */
export const ofServices: readonly Invariant[] = [
  asked,
  believed,
  givenOnce,
  nobodyMissed,
  saysWhomItMisses,
  servedOnce,
  serviceAttempts,
  serviceNames,
  serviceResources,
  servicesAsWanted,
  servicesMove,
  serviceWords,
  stoppedStays,
  watchSets,
  watchedAtTheEnd,
];
