import { sweep } from '../lib/assembly/sweep.ts';
import { onSchedule } from '../lib/runtime/on-schedule.ts';

/** Gives a tick to every row whose time has come, and plans the zones that need a plan. */
export default onSchedule(sweep, 'sweeps');
