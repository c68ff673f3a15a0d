import { onSchedule } from '../lib/runtime/on-schedule.ts';
import { storeIndex } from '../lib/search/tick.ts';

/** Stores the index of searches, so that whoever searches next need not read every row. */
export default onSchedule(storeIndex);
