import type { EpochMs } from '../../core/time.ts';

/** The queues of a deployment; `infra/wiring.ts` says who sends and who consumes. */
export type QueueName = 'heartbeats' | 'reports' | 'sweeps' | 'webhooks';

/** Which dead letter a message is that an operator has given back to its queue, and how it had come at first. */
export type Letter = {
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
  /** `door`: one of our doors sent it and stamped `receivedAt`; `bus`: a rule of the ingest bus handed it on. */
  readonly via: 'door' | 'bus';
  readonly sentAt: EpochMs;
  /** How often it has been received, this time included. */
  readonly receives: number;
  /** Only of a dead letter that was given back. */
  readonly letter?: Letter;
};

/** `delayMs` keeps a message invisible that long, 15 minutes at most; `letter` goes with it to its consumer. */
export type SendOptions = { readonly delayMs?: number; readonly letter?: Letter };

/**
 * How deep a queue is: messages not yet acknowledged, of which some are `delayed` or `hidden` while somebody works on
 * them, and when the oldest was sent. SQS counts about, and does not say how old the oldest is; in our own process all
 * are counted as one.
 */
export type QueueDepth = {
  readonly messages: number;
  readonly delayed?: number;
  readonly hidden?: number;
  readonly oldestSentAt?: EpochMs;
};

/**
 * Sends at least once, in no promised order. Consuming is the host's part: it hands messages over and takes back the
 * ids that failed.
 */
export interface Queue {
  /** Resolves once the message is durable. */
  send(queue: QueueName, body: string, options?: SendOptions): Promise<void>;
  /** How deep a queue is at this moment. */
  depth(queue: QueueName): Promise<QueueDepth>;
}

/** A queue whose messages the host itself fetches: embedded and in tests. On AWS, Lambda's event source does this. */
export interface ConsumableQueue extends Queue {
  /** Hands a message over as the ingest bus does. */
  sendFromBus(queue: QueueName, body: string): Promise<void>;
  /** Up to `limit` visible messages, oldest first, hidden from others for `visibilityMs`. */
  receive(queue: QueueName, limit: number, visibilityMs: number): Promise<readonly Message[]>;
  /** Done with these. */
  acknowledge(queue: QueueName, ids: readonly string[]): Promise<void>;
  /** These failed; they are visible again after `delayMs`. */
  release(queue: QueueName, ids: readonly string[], delayMs: number): Promise<void>;
}
