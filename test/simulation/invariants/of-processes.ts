import { asWanted } from './as-wanted.ts';
import { clusters } from './clusters.ts';
import { endpoints } from './endpoints.ts';
import type { Invariant } from './invariant.ts';
import { leftAlone } from './left-alone.ts';
import { levels } from './levels.ts';
import { processAttempts } from './process-attempts.ts';
import { processesMove } from './process-moves.ts';
import { processWords } from './process-words.ts';
import { runOnce } from './run-once.ts';

/** What is promised of storage clusters and what runs in them. */
export const ofProcesses: readonly Invariant[] = [
  asWanted,
  clusters,
  endpoints,
  leftAlone,
  levels,
  processAttempts,
  processesMove,
  processWords,
  runOnce,
];
