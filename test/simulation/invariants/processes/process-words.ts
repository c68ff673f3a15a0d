import type { Invariant } from '../invariant.ts';
import { processSteps } from '../process-rows.ts';

/** A word that comes late, or twice, says nothing any more. */
export const processWords: Invariant = {
  name: 'words-of-processes-never-go-back',
  says: 'what was heard last of a process is of no older boot of its agent than before, and of the same boot no older word',
  begin: ({ violated }) => ({
    committed: (changes) => {
      for (const { id, before, after } of processSteps(changes)) {
        const [was, is] = [before?.heard, after?.heard];
        if (!was || !is || was.node !== is.node) continue;
        const isBack = is.incarnation < was.incarnation || (is.incarnation === was.incarnation && is.seq < was.seq);
        if (isBack) violated(`${id}: word ${was.incarnation}.${was.seq}, and then ${is.incarnation}.${is.seq}`);
      }
    },
  }),
};
