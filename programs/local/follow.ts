import type { Feed } from '../../lib/ports/table/file-feed.ts';
import type { FeedFunction } from '../../lib/runtime/function.ts';
import { noteHandled } from '../../lib/runtime/handled.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { type Loop, loop } from './loop.ts';

/** Images handed over at once, as a stream's batch. */
const batchMax = 100;

/** How long a stop waits for images that are not handed over yet, in ms; the next start begins with the rest. */
const handOverForMs = 2_000;

/**
 * Hands the feed to a function in order, and moves on only when the function has finished a batch; after a crash it
 * hands the batch over again. Stop it after everything that commits, so that all commits are handed over.
 */
export function consumeFeed(consumer: string, fn: FeedFunction, shell: Shell, feed: Feed, moved: () => void): Loop {
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
