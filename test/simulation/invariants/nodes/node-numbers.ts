import type { Node } from '../../../../lib/nodes/node.ts';
import type { Invariant } from '../invariant.ts';
import { type Handover, handoversOf, type NodeStep, nodeSteps, told } from '../rows.ts';

/** The two numbers that fence reports and memberships, and the heartbeat's own. */
export const nodeNumbers: Invariant = {
  name: 'node-numbers-never-go-back',
  says: 'incarnation and seq of a node never go back; its generation grows by one as it joins for the first time or comes back from dropped, beyond that of whom it replaces as it takes the place, and else never',
  begin: ({ violated }) => ({
    committed: (changes) => {
      const steps = nodeSteps(changes);
      const handovers = handoversOf(steps);
      for (const step of steps) {
        const handover = handovers.find(({ by }) => by === step);
        const why = handover ? whyNotNext(handover) : step.before && step.after ? whyWrong(step.before, step.after) : whyNotNew(step);
        if (why) violated(`${told(step)}: ${why}`);
      }
    },
  }),
};

/** Whoever takes a place over is there at the generation after the old one's, and whatever else it is stays. */
function whyNotNext({ old, by }: Handover): string | undefined {
  const [before, after] = [by.before!, by.after!];
  const { incarnation, seq, status } = after;
  if (incarnation !== before.incarnation || seq < before.seq || status !== 'up') return 'it took a place and is another than before';
  const next = Math.max(old.before!.generation, before.generation) + 1;
  return after.generation === next ? undefined : `its generation is ${after.generation}, and the next one is ${next}`;
}

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
