import type { ProcessReport } from '../../../events/reported/process.ts';
import { type Decision, nothing, type Tick } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import { lostWithNode, moved, type Surroundings } from './move.ts';
import { onReport, type Refused } from './on-report.ts';
import { onTick } from './on-tick.ts';
import type { MeroProcess } from './process.ts';

/**
 * The node of a process's host was given up. The state of the process is unknown from then on, and no report about it
 * will come.
 */
export type NodeLost = { readonly type: 'node-lost'; readonly node: string };

/**
 * An input to a decision about a process: a report, a tick with whether its node is silent, or the loss of that node.
 */
export type ProcessInput = ProcessReport | (Tick & { readonly isAway: boolean }) | NodeLost;

/** Decides what a report, a tick or the loss of its node means for one process. */
export function decide(
  process: MeroProcess | undefined,
  input: ProcessInput,
  surroundings: Surroundings,
  now: EpochMs,
): Decision<MeroProcess> | Refused {
  if (!process) return nothing('there is no such process');
  switch (input.type) {
    case 'tick':
      return onTick(process, input, { ...surroundings, isAway: input.isAway }, now);
    case 'node-lost':
      return onLost(process, input, surroundings, now);
    default:
      return onReport(process, input, surroundings, now);
  }
}

/**
 * A process that was inhibited fails when its node is lost, so that it does not wait forever. A host that already has
 * another node has not lost it.
 */
function onLost(process: MeroProcess, { node }: NodeLost, surroundings: Surroundings, now: EpochMs): Decision<MeroProcess> {
  if (process.heard && process.heard.node !== node) return nothing(`node ${process.heard.node} now reports for it`);
  const lost = moved(process, ['node lost'], { because: lostWithNode, forGood: true }, surroundings, now);
  return lost ?? nothing(`it is ${process.state.is}: it loses nothing with its node`);
}
