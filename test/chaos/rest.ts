import { setTimeout as sleep } from 'node:timers/promises';
import { type Stored, storedIn } from './evidence.ts';
import type { Keeper } from './keeper.ts';

const startsMax = 10;
/**
 * How much longer each start is left to work than the one before, in ms: what a first sweep concludes is to go out
 * before the stop.
 */
const longerMs = 200;

/**
 * What a folder holds once a host has worked off all that waited there: it is started and stopped until nothing does.
 * What has failed comes again after half a minute and may be left in its queue; a host that has been stopped so often
 * with events that never went out is not one. Throws then.
 */
export async function atRest(home: string, keeper: Keeper): Promise<Stored> {
  for (let starts = 1; ; starts++) {
    await keeper.start();
    await sleep(starts * longerMs);
    await keeper.stop();
    const stored = storedIn(home);
    if (stored.waiting.length === 0 && !stored.isPublishing) return stored;
    if (starts < startsMax) continue;
    if (stored.isPublishing) throw new Error(`${home} has events that are still to go out after ${starts} starts`);
    return stored;
  }
}
