import type { ConsumableQueue, QueueName } from './queue.ts';

/** A queue in our own process, which notifies its host of new messages, so that the host need not poll. */
export interface WatchedQueue extends ConsumableQueue {
  /**
   * Calls the listener for every message sent or released without delay, until the returned function is called. Delayed
   * messages cause no call.
   */
  watch(listener: (queue: QueueName) => void): () => void;
}
