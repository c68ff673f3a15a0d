import type { Feed } from '../../lib/ports/table/file-feed.ts';
import type { FeedFunction } from '../../lib/runtime/function.ts';
import { noteHandled } from '../../lib/runtime/handled.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { type Loop, loop } from './loop.ts';

/** Images handed over at once, as a stream's batch. */
const batchMax = 100;

/**
 * How long a stop waits for images that are still to be handed over, in ms: whatever is left then is the first thing of
 * the next start.
 */
const handOverForMs = 2_000;

/**
 * Hands the feed to a function in order, and moves on only when it has done with a batch; a crash hands the batch over
 * again. Who stops it has ended whatever commits before: what was committed is handed over then.
 */
export function follow(consumer: string, fn: FeedFunction, shell: Shell, feed: Feed, moved: () => void): Loop {
  const following = loop(async () => {
    const images = await feed.read(await feed.position(consumer), batchMax);
    if (images.length === 0) return false;
    await fn.handle(images, shell);
    noteHandled(shell, consumer, images.length);
    await feed.moveTo(consumer, images.at(-1)!.offset);
    moved();
    return true;
  }, shell);
  const unwatch = feed.watch(following.wake);
  return {
    ...following,
    stop: async () => {
      unwatch();
      await following.finish(handOverForMs);
    },
  };
}
