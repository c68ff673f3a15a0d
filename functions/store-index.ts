import { removeUnnamedBlobs } from '../lib/content/revisions/tick/garbage.ts';
import { onSchedule } from '../lib/runtime/on-schedule.ts';
import { storeIndex } from '../lib/search/tick.ts';

/** Stores the index of searches, so that no search has to read every row first, and removes what nothing names. */
export default onSchedule(async (shell) => {
  await storeIndex(shell);
  await removeUnnamedBlobs(shell);
});
