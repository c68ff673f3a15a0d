import { type ProcessMove, type ProcessStateName, processMoves } from '../../../../lib/mero/processes/process.ts';
import type { Invariant } from '../invariant.ts';
import { type ProcessStep, processSteps, toldProcess } from '../process-rows.ts';

/**
 * Which states follow on which, by one move, or by those that follow one another strictly when a process is stopped by
 * us.
 */
const next = new Map<ProcessStateName, Set<ProcessStateName>>();
for (const move of Object.keys(processMoves) as ProcessMove[])
  for (const from of processMoves[move].from) next.set(from, (next.get(from) ?? new Set()).add(processMoves[move].to));
const together: readonly (readonly [ProcessStateName, ProcessStateName])[] = [
  ['online', 'stopping'],
  ['online', 'offline'],
  ['starting', 'offline'],
  ['quiescing', 'offline'],
];

/** A process's state moves as the design's table has it. */
export const processesMove: Invariant = {
  name: 'processes-move-along-their-moves',
  says: "a process's state moves as the table of moves allows, begins offline or unknown, and is online only with a life on record that was said to be ready",
  begin: ({ violated }) => ({
    committed: (changes) => {
      for (const step of processSteps(changes)) {
        const fault = faultOf(step);
        if (fault !== undefined) violated(`${toldProcess(step)}${fault}`);
      }
    },
  }),
};

function faultOf({ before, after }: ProcessStep): string | undefined {
  const [from, to] = [before?.state.is, after?.state.is];
  if (to === undefined || from === to) return undefined;
  if (from === undefined) return to === 'offline' || to === 'unknown' ? undefined : ', and was never added';
  if (to === 'online' && after!.running === undefined) return ', and nobody knows which life that is';
  // An operator who resets a cluster forgets what it did.
  const isAllowed = to === 'unknown' || next.get(from)?.has(to) || together.some(([a, b]) => a === from && b === to);
  return isAllowed ? undefined : ', which is no move';
}
