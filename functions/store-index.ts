import { onSchedule } from '../lib/runtime/on-schedule.ts';
import { storeIndex } from '../lib/search/tick.ts';

/** Stores the index of searches, so that no search has to read every row first. */
export default onSchedule(storeIndex);
