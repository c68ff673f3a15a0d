import { Later } from '../../core/errors.ts';
import type { Bus, Envelope } from './bus.ts';
import { admitEvents } from './limits.ts';

/**
 * A listener for every event. One that throws did not get the event, and the publisher learns of it by a {@link Later}.
 */
export type Subscriber = (event: Envelope) => void | Promise<void>;

/** A bus in our own process. */
export interface MemoryBus extends Bus {
  /** The newest events, oldest first. */
  readonly published: readonly Envelope[];
  /** Calls the subscriber with every event, one after the other, until the returned function is called. */
  subscribe(subscriber: Subscriber): () => void;
}

/**
 * A bus in memory that remembers the newest `keepMax` events: all by default, none for a host that only has
 * subscribers.
 */
export function memoryBus(keepMax = Number.POSITIVE_INFINITY): MemoryBus {
  const published: Envelope[] = [];
  const subscribers = new Set<Subscriber>();
  return {
    published,
    subscribe: (subscriber) => {
      subscribers.add(subscriber);
      return () => void subscribers.delete(subscriber);
    },
    publish: async (events) => {
      const failures: unknown[] = [];
      for (const { event } of admitEvents(events)) {
        published.push(event);
        if (published.length > keepMax) published.shift();
        for (const subscriber of subscribers) {
          try {
            await subscriber(event);
          } catch (error) {
            failures.push(error);
          }
        }
      }
      if (failures.length > 0)
        throw new Later('bus.refused', `subscribers failed ${failures.length} times: ${String(failures[0])}`, { cause: failures[0] });
    },
  };
}
