import type { ConsumableQueue, QueueName } from './queue.ts';

/**
 * A queue in our own process, which can tell its host that a message came, so that the host need not look all the time.
 */
export interface WatchedQueue extends ConsumableQueue {
  /**
   * Calls the listener for every message sent or released without delay, until the returned function is called. Delayed
   * ones are not told of.
   */
  watch(listener: (queue: QueueName) => void): () => void;
}
