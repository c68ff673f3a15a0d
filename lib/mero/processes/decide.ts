import type { ProcessReport } from '../../../events/reported/process.ts';
import { type Decision, nothing, type Tick } from '../../core/decision.ts';
import type { EpochMs } from '../../core/time.ts';
import { type Around, moved } from './move.ts';
import { onReport, type Refused } from './on-report.ts';
import { onTick } from './on-tick.ts';
import type { MeroProcess } from './process.ts';

/** The node of a process's host was given up: what it did is not known any more, and nobody will say. */
export type NodeLost = { readonly type: 'node-lost'; readonly node: string };

/**
 * What is decided on: a word about a process, the passing of time while its node is heard or is not, or the loss of
 * that node.
 */
export type ProcessInput = ProcessReport | (Tick & { readonly isAway: boolean }) | NodeLost;

/** Decides what a report, the passing of time or the loss of its node means for one process. */
export function decide(
  process: MeroProcess | undefined,
  input: ProcessInput,
  around: Around,
  now: EpochMs,
): Decision<MeroProcess> | Refused {
  if (!process) return nothing('there is no such process');
  switch (input.type) {
    case 'tick':
      return onTick(process, input, { ...around, isAway: input.isAway }, now);
    case 'node-lost':
      return onLost(process, input, around, now);
    default:
      return onReport(process, input, around, now);
  }
}

/**
 * Nothing is stuck because its node does not come back: what was inhibited has failed. A host that has another node by
 * now has not lost it.
 */
function onLost(process: MeroProcess, { node }: NodeLost, around: Around, now: EpochMs): Decision<MeroProcess> {
  if (process.heard && process.heard.node !== node) return nothing(`node ${process.heard.node} speaks for it`);
  const lost = moved(process, ['node lost'], { because: 'node lost', forGood: true }, around, now);
  return lost ?? nothing(`it is ${process.state.is}: nothing of it is lost`);
}
