import type { EpochMs } from '../../core/time.ts';
import type { Message, QueueName } from '../queue/queue.ts';
import type { FeedImage, Key, Row } from './table.ts';

/** A message that waits in a queue, as stored there, without the queue's own number for it. */
export type WaitingMessage = Omit<Message, 'id'> & { readonly queue: QueueName; readonly visibleAt: EpochMs };

/** The numbers of rows, images and messages of a deployment. */
export type Contents = {
  readonly rows: number;
  /** Rows by the first part of their partition key. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Commits that were not handed on yet. */
  readonly images: number;
  readonly messages: number;
  /** The offset of the newest image ever; absent if there was none, or no offsets are known. */
  readonly feedLast?: string;
};

/** A whole deployment as the source of an export. Only a page at a time is in memory. */
export type WholeSource = {
  read(key: Key): Promise<Row | undefined>;
  contents(): Promise<Contents>;
  /** The images that the feed has not handed on, in its order. */
  images(): AsyncIterable<FeedImage>;
  /** Every row, in the order of its keys' UTF-8 bytes. */
  rows(): AsyncIterable<Row>;
  /** The messages in the queues, in the order in which they came. */
  messages(): AsyncIterable<WaitingMessage>;
  close(): void;
};

/**
 * The target of an import of a whole deployment. Rows keep their revision and replace any that are there, without
 * fencing, because no other writer may run meanwhile.
 */
export type WholeTarget = {
  read(key: Key): Promise<Row | undefined>;
  /** Whether there is any row but this one, or any waiting message or image. */
  holdsMoreThan(key: Key): Promise<boolean>;
  /** Removes everything, and stores the marker of an import that is under way. */
  begin(marker: Row): Promise<void>;
  /** Stores images in the order of the feed, before the rows; the feed hands each on once more. */
  storeImages(images: readonly FeedImage[]): Promise<void>;
  storeRows(rows: readonly Row[]): Promise<void>;
  storeMessages(messages: readonly WaitingMessage[]): Promise<void>;
  /** Makes what was stored durable, with the marker. `feedLast` is the offset from which the feed continues, if any. */
  commit(feedLast: string | undefined): Promise<void>;
  /** Removes the marker: the import is complete. */
  settle(marker: Key): Promise<void>;
  close(): void;
};
