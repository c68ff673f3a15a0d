import type { EpochMs } from '../../../lib/units.ts';
import type { Invariant } from './invariant.ts';
import { nodeSteps, skewMs, told } from './rows.ts';

/** A bus hands out again what was decided otherwise long ago. */
export const words: Invariant = {
  name: 'the-last-word-about-leaving-holds',
  says: 'a report that a node leaves undoes no later word of an operator, and has its effect at most once',
  begin: ({ kernel, violated }) => {
    const sentAt = new Map<string, EpochMs>();
    const ordered = new Map<string, EpochMs>();
    const heard = new Set<string>();
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
          const said = sentAt.get(cause);
          if (said === undefined || before?.word?.report === after?.word?.report) continue;
          if (heard.has(cause)) violated(`${told(step)}, which it did before`);
          heard.add(cause);
          if (said < (ordered.get(id) ?? 0) - skewMs)
            violated(`${told(step)}, said ${(ordered.get(id) ?? 0) - said} ms before an operator's word`);
        }
      },
    };
  },
};
