import type { Invariant } from '../invariant.ts';
import { asked, believed, nobodyMissed } from './missed.ts';
import { neededIsThere } from './needed.ts';
import { saysWhomItMisses } from './says-missed.ts';
import { givenOnce, servedAsAllowed, servedOnce } from './served-once.ts';
import { serviceAttempts, stoppedStays } from './service-attempts.ts';
import { servicesMove } from './service-moves.ts';
import { serviceNames, serviceResources } from './service-names.ts';
import { serviceWords } from './service-words.ts';
import { servicesAsWanted } from './services-as-wanted.ts';
import { shutOutTypes } from './shut-out-types.ts';
import { watchedAtTheEnd, watchSets } from './watch-sets.ts';

/** What is promised of services and of what they hold. */
export const ofServices: readonly Invariant[] = [
  asked,
  believed,
  givenOnce,
  neededIsThere,
  nobodyMissed,
  saysWhomItMisses,
  servedAsAllowed,
  servedOnce,
  serviceAttempts,
  serviceNames,
  serviceResources,
  servicesAsWanted,
  servicesMove,
  serviceWords,
  shutOutTypes,
  stoppedStays,
  watchSets,
  watchedAtTheEnd,
];
