import type { EpochMs } from '../../../../lib/core/time.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { Invariant } from '../invariant.ts';
import { type NodeStep, nodeSteps, skewMs, told } from '../rows.ts';

/** A bus hands out again what was decided otherwise long ago. */
export const words: Invariant = {
  name: 'the-last-word-about-leaving-holds',
  says: 'a report that a node leaves undoes no later word of an operator, and has its effect at most once',
  begin: ({ kernel, violated }) => {
    const sentAt = new Map<string, EpochMs>();
    const ordered = new Map<string, EpochMs>();
    /** By node; one that is made anew remembers nothing that was said of it before. */
    const heard = new Map<string, Set<string>>();
    const heed = (step: NodeStep, after: Node): void => {
      const { id, before, cause } = step;
      const said = sentAt.get(cause);
      if (said === undefined || before?.word?.report === after.word?.report) return;
      const known = heard.get(id) ?? new Set();
      if (known.has(cause)) violated(`${told(step)}, which it did before`);
      heard.set(id, known.add(cause));
      const since = (ordered.get(id) ?? 0) - said;
      if (since > skewMs) violated(`${told(step)}, said ${since} ms before an operator's word`);
    };
    return {
      sent: ({ body }) => {
        if (!body.includes('node.leaving')) return;
        const { id } = JSON.parse(body) as { id?: string };
        if (id !== undefined && !sentAt.has(id)) sentAt.set(id, kernel.now);
      },
      committed: (changes) => {
        for (const step of nodeSteps(changes)) {
          const { id, before, after, cause, at } = step;
          // By an operator's call, whose ids are the API's own.
          if (before && after && before.word?.at !== after.word?.at && !sentAt.has(cause)) ordered.set(id, at);
          if (after) heed(step, after);
          else heard.delete(id);
        }
      },
    };
  },
};
