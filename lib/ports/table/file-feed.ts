import type { DatabaseSync } from 'node:sqlite';
import { listeners } from '../../core/listeners.ts';
import type { EpochMs } from '../../core/time.ts';
import type { GroupCommit } from '../sqlite/group.ts';
import { rowOf } from './attributes.ts';
import { parseAttributes } from './json.ts';
import type { FeedImage } from './table.ts';

/** The offset before the first image. */
export const feedStart = '0';

/**
 * The feed of an embedded table: every committed row that emits, in the order of the commits, and how far each consumer
 * has read.
 */
export interface Feed {
  /** Up to `limit` images behind an offset, in order. */
  read(after: string, limit: number): Promise<readonly FeedImage[]>;
  /** The offset up to which a consumer has processed the feed; {@link feedStart} at first. */
  position(consumer: string): Promise<string>;
  /** The consumer has processed everything up to this offset. Resolves once that is durable. */
  moveTo(consumer: string, offset: string): Promise<void>;
  /** The offset of the newest image, also when it has been trimmed; {@link feedStart} when there never was one. */
  last(): Promise<string>;
  /** Removes up to `limit` images of commits before `before` that every consumer has processed; gives their number. */
  trim(before: EpochMs, limit?: number): Promise<number>;
  /** Calls the listener after every commit that added images, until the returned function is called. */
  watch(listener: () => void): () => void;
}

/** The feed of a state file, and how the table adds to it from within its own transaction. */
export type FileFeed = { readonly feed: Feed; readonly append: (at: EpochMs, attributes: string) => void; readonly announce: () => void };

/** The feed in a state file. */
export function fileFeed(db: DatabaseSync, group: GroupCommit): FileFeed {
  const insert = db.prepare('INSERT INTO feed (at, attributes) VALUES (?, ?)');
  const { watch, tell } = listeners<[]>();
  return {
    append: (at, attributes) => void insert.run(at, attributes),
    announce: tell,
    feed: { ...positions(db, group), ...images(db, group), watch },
  };
}

function positions(db: DatabaseSync, group: GroupCommit): Pick<Feed, 'position' | 'moveTo'> {
  const position = db.prepare('SELECT position FROM consumers WHERE consumer = ?');
  const move = db.prepare('INSERT INTO consumers VALUES (?, ?) ON CONFLICT DO UPDATE SET position = excluded.position');
  return {
    position: async (consumer) => String(position.get(consumer)?.['position'] ?? feedStart),
    moveTo: (consumer, offset) => group.run(() => void move.run(consumer, Number(offset))),
  };
}

function images(db: DatabaseSync, group: GroupCommit): Pick<Feed, 'read' | 'last' | 'trim'> {
  const read = db.prepare('SELECT position, attributes FROM feed WHERE position > ? ORDER BY position LIMIT ?');
  const last = db.prepare(`SELECT seq AS position FROM sqlite_sequence WHERE name = 'feed'`);
  const trim = db.prepare(
    `DELETE FROM feed WHERE position IN (SELECT position FROM feed
      WHERE at < ? AND position <= (SELECT coalesce(min(position), 0) FROM consumers) ORDER BY position LIMIT ?)`,
  );
  return {
    read: async (after, limit) =>
      read.all(Number(after), limit).map((row) => ({
        offset: String(row['position']),
        row: rowOf(parseAttributes(row['attributes'] as string)),
      })),
    last: async () => String(last.get()?.['position'] ?? feedStart),
    trim: (before, limit = 1_000) => group.run(() => Number(trim.run(before, limit).changes)),
  };
}
