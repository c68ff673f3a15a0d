import { type Stored, storedIn } from './evidence.ts';
import type { Keeper } from './keeper.ts';

const startsMax = 10;

/** What a folder holds once a host has worked off all that waited there: it is started and stopped until nothing does. */
export async function atRest(home: string, keeper: Keeper): Promise<Stored> {
  for (let starts = 1; ; starts++) {
    await keeper.start();
    await keeper.stop();
    const stored = storedIn(home);
    if ((stored.waiting.length === 0 && !stored.isPublishing) || starts === startsMax) return stored;
  }
}
