import type { Node } from '../../../../lib/nodes/node.ts';
import type { Invariant } from '../invariant.ts';
import { nodeSteps } from '../rows.ts';

/** Longer than an interval between heartbeats and their way, in ms. */
const heardWithinMs = 15_000;

/** An agent that believes something else reports to nobody. */
export const agents: Invariant = {
  name: 'agents-know-what-they-are',
  says: 'in the end every agent is the member, of the incarnation and generation, that its row says, is heard, and has nothing left to say',
  begin: ({ kernel, world }) => {
    const nodes = new Map<string, Node>();
    return {
      committed: (changes) => {
        for (const { id, after } of nodeSteps(changes)) if (after) nodes.set(id, after);
      },
      unrest: () =>
        world().hosts.flatMap(({ name, state }) => {
          if (!state) return [];
          const { phase, incarnation, generation, reports, desired } = state;
          const node = nodes.get(state.node ?? '');
          const isTrue = phase === 'member' && incarnation === node?.incarnation && generation === node.generation;
          if (!isTrue)
            return [
              `${name} thinks it is ${phase} ${incarnation}/${generation} and is ${node?.status} ${node?.incarnation}/${node?.generation}`,
            ];
          if (kernel.now - (node.heardAt ?? 0) > heardWithinMs)
            return [`${name} was last heard ${kernel.now - (node.heardAt ?? 0)} ms ago`];
          return reports.out.length > 0 || desired.rev !== desired.notified ? [`${name} has still something to say or to read`] : [];
        }),
    };
  },
};
