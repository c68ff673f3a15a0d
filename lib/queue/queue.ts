import type { EpochMs } from '../units.ts';

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

/** Sends at least once, in no promised order. Consuming is the host's part: it hands messages over and takes back the ids that failed. */
export interface Queue {
  /** Resolves once the message is durable. */
  send(queue: QueueName, body: string, options?: SendOptions): Promise<void>;
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
  /** Messages not yet acknowledged, and when the oldest visible or hidden one was sent. */
  depth(queue: QueueName): Promise<{ messages: number; oldestSentAt?: EpochMs }>;
}
