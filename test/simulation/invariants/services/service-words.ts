import { isSame } from '../../../../lib/core/decision.ts';
import { instanceOf } from '../../../../lib/services/service.ts';
import type { Invariant } from '../invariant.ts';
import { serviceSteps, toldService } from '../service-rows.ts';

/**
 * What was said of a service that has been started again since says nothing any more; nor does a word that comes late,
 * or twice.
 */
export const serviceWords: Invariant = {
  name: 'words-of-older-instances-change-nothing',
  says: 'a word about a service changes its row only while that instance is on record, and what was heard last is of no older boot of its agent than before, and of the same boot no older word',
  begin: ({ violated }) => {
    /** Which instances each report is about: two, where a copy of the host names its words as its original does. */
    const about = new Map<string, Set<string>>();
    return {
      sent: ({ body }) => {
        if (!body.includes('"service.')) return;
        const { id, data } = JSON.parse(body) as { id?: string; data?: { instance?: string } };
        if (id !== undefined && data?.instance !== undefined) about.set(id, (about.get(id) ?? new Set()).add(data.instance));
      },
      committed: (changes) => {
        for (const step of serviceSteps(changes)) {
          const { before, after, row } = step;
          const said = about.get(row.by);
          // A look that finds nothing to do moves `wakeAt` alone, and leaves who wrote the row before.
          if (said && before && !isSame(before, after) && !said.has(instanceOf(before)))
            violated(`${toldService(step)}, by a word about ${[...said].join()}`);
          const [was, is] = [before?.heard, after?.heard];
          if (!was || !is || was.node !== is.node) continue;
          const isBack = is.incarnation < was.incarnation || (is.incarnation === was.incarnation && is.seq < was.seq);
          if (isBack) violated(`${toldService(step)}: word ${was.incarnation}.${was.seq}, and then ${is.incarnation}.${is.seq}`);
        }
      },
    };
  },
};
