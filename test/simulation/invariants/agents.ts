import type { Node } from '../../../lib/nodes/node.ts';
import type { Invariant } from './invariant.ts';
import { nodeSteps } from './rows.ts';

/** An agent that believes something else reports to nobody. */
export const agents: Invariant = {
  name: 'agents-know-what-they-are',
  says: 'in the end every agent is the member, of the incarnation and generation, that its row says, and has nothing left to say',
  begin: ({ world }) => {
    const nodes = new Map<string, Node>();
    return {
      committed: (changes) => {
        for (const { id, after } of nodeSteps(changes)) if (after) nodes.set(id, after);
      },
      unrest: () =>
        world().hosts.flatMap(({ name, state }) => {
          if (!state) return [];
          const { phase, incarnation, generation, words, desired } = state;
          const node = nodes.get(state.node ?? '');
          const isTrue = phase === 'member' && incarnation === node?.incarnation && generation === node.generation;
          if (!isTrue)
            return [
              `${name} thinks it is ${phase} ${incarnation}/${generation} and is ${node?.status} ${node?.incarnation}/${node?.generation}`,
            ];
          return words.out.length > 0 || desired.rev !== desired.told ? [`${name} has still something to say or to read`] : [];
        }),
    };
  },
};
