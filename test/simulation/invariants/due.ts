import { refOf } from '../../../lib/table/keys.ts';
import { nameOf, type Row } from '../../../lib/table/table.ts';
import type { Invariant } from './invariant.ts';

/** A few sweeps, in ms. */
const overdueMs = 60_000;

/** What is due and never comes is worse than a timer that was lost: nobody would know. */
export const due: Invariant = {
  name: 'nothing-stays-due',
  says: 'only rows that the sweep knows are ever due, and once faults have ended it looks after each within a few sweeps',
  begin: ({ kernel, violated }) => {
    const waiting = new Map<string, Row>();
    return {
      committed: (changes) => {
        for (const { after } of changes) {
          if (after.wakeAt === undefined) waiting.delete(nameOf(after.key));
          else waiting.set(nameOf(after.key), after);
          if (after.wakeAt !== undefined && !refOf(after.key))
            violated(`${after.key.pk}|${after.key.sk} is due, and no sweep looks after it`);
        }
      },
      unrest: () =>
        [...waiting.values()]
          .filter(({ wakeAt }) => wakeAt! < kernel.now - overdueMs)
          .map(({ key, wakeAt, because }) => `${key.pk}|${key.sk} has been due for ${kernel.now - wakeAt!} ms: ${because}`),
    };
  },
};
