import type { EpochMs } from '../../core/time.ts';

/** The queues of a deployment; `infra/wiring.ts` lists their senders and consumers. */
export type QueueName = 'heartbeats' | 'reports' | 'sweeps' | 'webhooks';

/** The dead letter that an operator has given back to its queue as this message, and how it first arrived. */
export type DeadLetterOrigin = {
  readonly id: string;
  /** How often it has been given back, this time included. */
  readonly attempt: number;
  readonly via: 'door' | 'bus';
  readonly sentAt: EpochMs;
};

/** A message as its consumer sees it. */
export type Message = {
  readonly id: string;
  readonly body: string;
  /** `door`: one of our endpoints sent it and stamped `receivedAt`; `bus`: a rule of the ingest bus handed it on. */
  readonly via: 'door' | 'bus';
  readonly sentAt: EpochMs;
  /** How often it has been received, this time included. */
  readonly receives: number;
  /** Present only for a dead letter that was given back. */
  readonly letter?: DeadLetterOrigin;
};

/** `delayMs` hides a message that long, 15 minutes at most; `letter` goes with it to its consumer. */
export type SendOptions = { readonly delayMs?: number; readonly letter?: DeadLetterOrigin };

/**
 * How deep a queue is: messages not yet acknowledged, some of them `delayed`, or `hidden` while a consumer works on
 * them, and when the oldest was sent. SQS counts approximately, and does not report the age of the oldest; a queue in
 * our own process counts all messages together.
 */
export type QueueDepth = {
  readonly messages: number;
  readonly delayed?: number;
  readonly hidden?: number;
  readonly oldestSentAt?: EpochMs;
};

/**
 * Sends at least once, in no promised order. Consuming is the host's part: it hands messages to the consumer and takes
 * back the ids that failed.
 */
export interface Queue {
  /** Resolves once the message is durable. */
  send(queue: QueueName, body: string, options?: SendOptions): Promise<void>;
  /** How deep a queue is at this moment. */
  depth(queue: QueueName): Promise<QueueDepth>;
}

/** A queue whose messages the host itself fetches: embedded and in tests. On AWS, Lambda's event source does this. */
export interface ConsumableQueue extends Queue {
  /** Sends a message as the ingest bus does. */
  sendFromBus(queue: QueueName, body: string): Promise<void>;
  /** Up to `limit` visible messages, oldest first, hidden from others for `visibilityMs`. */
  receive(queue: QueueName, limit: number, visibilityMs: number): Promise<readonly Message[]>;
  /** These are done: the queue deletes them. */
  acknowledge(queue: QueueName, ids: readonly string[]): Promise<void>;
  /** These failed; they are visible again after `delayMs`. */
  release(queue: QueueName, ids: readonly string[], delayMs: number): Promise<void>;
}
