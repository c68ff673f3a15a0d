import type { EpochMs } from '../../core/time.ts';
import type { Message, QueueName } from '../queue/queue.ts';
import type { FeedImage, Key, Row } from './table.ts';

/** A message that waits in a queue, as it stands there; its number is the queue's own affair. */
export type WaitingMessage = Omit<Message, 'id'> & { readonly queue: QueueName; readonly visibleAt: EpochMs };

/** How much there is of what. */
export type Contents = {
  readonly rows: number;
  /** Rows by the first part of their partition key. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Commits that were not handed on yet. */
  readonly images: number;
  readonly messages: number;
  /** The offset of the newest image there ever was; absent where there was none, or no offsets are known. */
  readonly feedLast?: string;
};

/** A whole deployment as it is read to be exported. Nothing is held in memory but a page at a time. */
export type WholeSource = {
  read(key: Key): Promise<Row | undefined>;
  contents(): Promise<Contents>;
  /** What the feed has not handed on, in its order. */
  images(): AsyncIterable<FeedImage>;
  /** Every row, in the order of its keys' UTF-8 bytes. */
  rows(): AsyncIterable<Row>;
  /** What waits in the queues, in the order in which it came. */
  messages(): AsyncIterable<WaitingMessage>;
  close(): void;
};

/**
 * Where a whole deployment is imported to. Rows keep their revision and are stored over whatever is there: there is no
 * fencing, because nobody else may write meanwhile.
 */
export type WholeTarget = {
  read(key: Key): Promise<Row | undefined>;
  /** Whether there is any row but this one, or anything that waits. */
  holdsMoreThan(key: Key): Promise<boolean>;
  /** Removes everything, and leaves the marker of an import that is under way in its place. */
  begin(marker: Row): Promise<void>;
  /** In the order of the feed, before the rows: each is to be handed on once more than it was. */
  storeImages(images: readonly FeedImage[]): Promise<void>;
  storeRows(rows: readonly Row[]): Promise<void>;
  storeMessages(messages: readonly WaitingMessage[]): Promise<void>;
  /**
   * Makes what was stored durable, with the marker. `feedLast` is the offset from which the feed goes on, if it has
   * any.
   */
  commit(feedLast: string | undefined): Promise<void>;
  /** Removes the marker: the import is whole. */
  settle(marker: Key): Promise<void>;
  close(): void;
};
