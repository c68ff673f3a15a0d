import type { Invariant } from '../invariant.ts';
import { addedOnce } from './added-once.ts';
import { aloneAWhile } from './alone.ts';
import { asWanted } from './as-wanted.ts';
import { clusters } from './clusters.ts';
import { devicesFollow, oneService } from './devices.ts';
import { dumps } from './dumps.ts';
import { endpoints } from './endpoints.ts';
import { fids } from './fids.ts';
import { leftAlone } from './left-alone.ts';
import { levels } from './levels.ts';
import { loadsLeft } from './loads-left.ts';
import { loadsSeen } from './loads-seen.ts';
import { loadsWhole } from './loads-whole.ts';
import { processAttempts } from './process-attempts.ts';
import { processesMove } from './process-moves.ts';
import { processWords } from './process-words.ts';
import { runOnce } from './run-once.ts';

/** What is promised of storage clusters and what runs in them. */
export const ofProcesses: readonly Invariant[] = [
  addedOnce,
  aloneAWhile,
  asWanted,
  clusters,
  devicesFollow,
  dumps,
  endpoints,
  fids,
  leftAlone,
  levels,
  loadsLeft,
  loadsSeen,
  loadsWhole,
  oneService,
  processAttempts,
  processesMove,
  processWords,
  runOnce,
];
