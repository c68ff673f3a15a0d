import { listeners } from '../../core/listeners.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import { refuseUnsendable } from './limits.ts';
import type { Message, QueueName, SendOptions } from './queue.ts';
import type { WatchedQueue } from './watched.ts';

type StoredMessage = Message & { readonly queue: QueueName; readonly visibleAt: EpochMs };

/** Queues in memory; messages become visible by the given clock. */
export function memoryQueue(now: () => EpochMs): WatchedQueue {
  const { watch, tell } = listeners<[QueueName]>();
  const stored = new Map<string, StoredMessage>();
  let sent = 0;
  const of = (queue: QueueName): StoredMessage[] => [...stored.values()].filter((message) => message.queue === queue);
  const keep = (queue: QueueName, body: string, via: Message['via'], { delayMs = 0, letter }: SendOptions = {}): void => {
    refuseUnsendable(queue, body, delayMs);
    sent += 1;
    const message = { id: String(sent), body, via, sentAt: now(), receives: 0, ...(letter && { letter }) };
    stored.set(message.id, { ...message, queue, visibleAt: plusMs(now(), delayMs) });
    if (delayMs === 0) tell(queue);
  };
  return {
    watch,
    send: async (queue, body, options) => keep(queue, body, 'door', options),
    sendFromBus: async (queue, body) => keep(queue, body, 'bus'),
    receive: async (queue, limit, visibilityMs) => {
      const visible = of(queue).filter(({ visibleAt }) => visibleAt <= now());
      return visible.slice(0, limit).map((message) => {
        const received = { ...message, receives: message.receives + 1, visibleAt: plusMs(now(), visibilityMs) };
        stored.set(message.id, received);
        return messageOf(received);
      });
    },
    acknowledge: async (queue, ids) => {
      for (const id of ids) if (stored.get(id)?.queue === queue) stored.delete(id);
    },
    release: async (queue, ids, delayMs) => {
      for (const id of ids) {
        const message = stored.get(id);
        if (message?.queue === queue) stored.set(id, { ...message, visibleAt: plusMs(now(), delayMs) });
      }
      if (delayMs === 0 && ids.length > 0) tell(queue);
    },
    depth: async (queue) => {
      const messages = of(queue);
      return { messages: messages.length, ...(messages[0] && { oldestSentAt: messages[0].sentAt }) };
    },
  };
}

const messageOf = ({ queue: _queue, visibleAt: _visibleAt, ...message }: StoredMessage): Message => message;
