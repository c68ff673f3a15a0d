import { onSchedule } from '../lib/runtime/on-schedule.ts';
import { sweep } from '../lib/sweep/sweep.ts';

/** Delivers time to what waits for it, and plans the zones that have something to plan. */
export default onSchedule(sweep, 'sweeps');
