import type { Message } from '../ports/queue/queue.ts';
import type { FeedImage } from '../ports/table/table.ts';
import type { Reply } from './reply.ts';
import type { Shell } from './shell.ts';

/** A call at one of our endpoints, the same from API Gateway and from the embedded host. */
export type HttpRequest = {
  readonly id: string;
  readonly method: string;
  /** The path as it was sent, still percent-encoded, without the query. */
  readonly path: string;
  /** The query as it was sent, without the question mark. */
  readonly query: string;
  /** A header by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** The whole body; endpoints refuse more than 64 KiB before they parse it. */
  readonly body: string;
  /** The caller's network address. */
  readonly source: string;
};

/** Answers routes; may answer without a promise, so that the hottest path never waits for the next turn. */
export type RouteFunction = { readonly on: 'route'; readonly handle: (request: HttpRequest, shell: Shell) => Reply | Promise<Reply> };
/** Consumes a queue; resolves to the ids of the messages that must be delivered again. */
export type QueueFunction = {
  readonly on: 'queue';
  readonly handle: (messages: readonly Message[], shell: Shell) => Promise<readonly string[]>;
};
/**
 * Runs on a schedule; `rule` when the schedule itself started it, `message` when one of its own delayed messages did.
 */
export type ScheduleFunction = { readonly on: 'schedule'; readonly handle: (trigger: 'rule' | 'message', shell: Shell) => Promise<void> };
/** Reads the feed; throws for transient failures, and then gets all images again. */
export type FeedFunction = { readonly on: 'feed'; readonly handle: (images: readonly FeedImage[], shell: Shell) => Promise<void> };

/** Every function is declared once, in functions/, and bound late: each host gives it its own shell. */
export type MusterFunction = RouteFunction | QueueFunction | ScheduleFunction | FeedFunction;
