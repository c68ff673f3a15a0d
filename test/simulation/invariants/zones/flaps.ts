import type { EpochMs } from '../../../../lib/core/time.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { Invariant } from '../invariant.ts';
import { type NodeStep, nodeSteps, told } from '../rows.ts';

const hourMs = 3_600_000;
/** A row keeps its score to the tenth, of each return. */
const rounded = 0.3;

type Score = { readonly score: number; readonly at: EpochMs };

/** A node that comes and goes drags its clients with it each time. */
export const flaps: Invariant = {
  name: 'who-comes-and-goes-is-quarantined',
  says: 'a node is quarantined for flapping when it came back from down more than four times, each of them half forgotten in an hour, and only then; it is let go by an operator, or once that is below one',
  begin: ({ violated }) => {
    const scores = new Map<string, Score>();
    return {
      committed: (changes) => {
        for (const step of nodeSteps(changes)) {
          const score = scoreAfter(step, scores.get(step.id));
          const wrong = isWrong(step, score?.score ?? 0);
          if (wrong) violated(`${told(step)} at a flap score of ${score?.score.toFixed(2)}`);
          if (score === undefined || isLetGo(step)) scores.delete(step.id);
          else scores.set(step.id, score);
        }
      },
    };
  },
};

const isBack = ({ before, after }: NodeStep): boolean => before?.status === 'down' && after?.status !== 'down';
const isFlapping = (node: Node | undefined): boolean => node !== undefined && 'reason' in node && node.reason === 'flapping';
const isFreed = ({ before, after }: NodeStep): boolean =>
  before?.status === 'quarantined' && isFlapping(before) && (after?.status === 'up' || after?.status === 'joining');
/** Whoever looked at it and lets it go begins anew. */
const isLetGo = (step: NodeStep): boolean => isFreed(step) && !step.cause.startsWith('tick-');

/** Undefined for a node that is gone, or is to join as new. */
function scoreAfter(step: NodeStep, known: Score | undefined): Score | undefined {
  const { after, at } = step;
  if (!after || after.status === 'dropped') return undefined;
  return { score: (known ? known.score / 2 ** ((at - known.at) / hourMs) : 0) + (isBack(step) ? 1 : 0), at };
}

function isWrong(step: NodeStep, score: number): boolean {
  const { before, after } = step;
  if (isBack(step) && score > 4 + rounded && after?.status !== 'quarantined' && after?.status !== 'dropped') return true;
  if (isFlapping(after) && !isFlapping(before)) return score < 4 - rounded;
  return isFreed(step) && !isLetGo(step) && score > 1 + rounded;
}
