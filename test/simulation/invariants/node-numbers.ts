import type { Node } from '../../../lib/nodes/node.ts';
import type { Invariant } from './invariant.ts';
import { type NodeStep, nodeSteps, told } from './rows.ts';

/** The two numbers that fence reports and memberships, and the heartbeat's own. */
export const nodeNumbers: Invariant = {
  name: 'node-numbers-never-go-back',
  says: 'incarnation and seq of a node never go back; its generation grows by one as it joins for the first time or comes back from dropped, and else never',
  begin: ({ violated }) => ({
    committed: (changes) => {
      for (const step of nodeSteps(changes)) {
        const why = step.before && step.after ? whyWrong(step.before, step.after) : whyNotNew(step);
        if (why) violated(`${told(step)}: ${why}`);
      }
    },
  }),
};

function whyNotNew({ before, after }: NodeStep): string | undefined {
  if (before) return before.generation > 0 ? 'a node that has been a member was removed' : undefined;
  return after && (after.generation > 0 || after.incarnation > 0) ? 'it begins with numbers' : undefined;
}

function whyWrong(before: Node, after: Node): string | undefined {
  const { incarnation, seq, generation } = after;
  const boots = incarnation - before.incarnation;
  if (boots !== 0 && boots !== 1) return `its incarnation went from ${before.incarnation} to ${incarnation}`;
  if (boots === 0 && seq < before.seq) return `its seq went from ${before.seq} back to ${seq}`;
  if (boots === 0 && after.boot?.id !== before.boot?.id) return `boot ${after.boot?.id} has the incarnation of boot ${before.boot?.id}`;
  const joins = generation - before.generation;
  if (joins === 0)
    return before.status === 'dropped' && after.status !== 'dropped' ? 'it came back with the generation it gave up' : undefined;
  if (joins !== 1) return `its generation went from ${before.generation} to ${generation}`;
  const comes = before.status === 'absent' || before.status === 'waiting' || before.status === 'dropped';
  return comes && after.status === 'joining' && boots === 1 ? undefined : `generation ${generation} although it did not join`;
}
