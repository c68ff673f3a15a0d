import { sweep } from '../lib/assembly/sweep.ts';
import { onSchedule } from '../lib/runtime/on-schedule.ts';

/** Delivers time to what waits for it, and plans the zones that have something to plan. */
export default onSchedule(sweep, 'sweeps');
