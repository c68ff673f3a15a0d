import { moves, type NodeStatus } from '../../../../lib/nodes/node.ts';
import type { Invariant } from '../invariant.ts';
import { isPlanned, type NodeStep, nodeSteps, told } from '../rows.ts';
import { stationSteps } from '../station-rows.ts';

/** Whose fault it would be is known from who writes: decide knows one node, the plan its zone. */
export const nodeMoves: Invariant = {
  name: 'nodes-move-along-their-moves',
  says: "a node's status moves as the table of moves allows whoever writes it; only where stations are named one begins with waiting for them, and only one that was never a member is removed",
  begin: ({ violated }) => {
    const named = new Set<string>();
    return {
      committed: (changes) => {
        for (const { zone } of stationSteps(changes)) named.add(zone);
        for (const step of nodeSteps(changes)) if (!isAllowed(step, named)) violated(told(step));
      },
    };
  },
};

function isAllowed(step: NodeStep, named: ReadonlySet<string>): boolean {
  const { before, after } = step;
  if (!before) return after?.status === 'absent' || (after?.status === 'waiting' && named.has(after.zone));
  if (!after) return before.status === 'absent' || before.status === 'waiting';
  const may: readonly NodeStatus[] = moves[isPlanned(step) ? 'plan' : 'decide'][before.status];
  return before.status === after.status || may.includes(after.status);
}
