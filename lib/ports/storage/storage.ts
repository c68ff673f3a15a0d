import type { EpochMs } from '../../core/time.ts';
import { sqliteQueue } from '../queue/sqlite.ts';
import type { WatchedQueue } from '../queue/watched.ts';
import { groupCommit } from '../sqlite/group.ts';
import { type Feed, fileFeed } from '../table/file-feed.ts';
import { type SqliteTable, sqliteTable } from '../table/sqlite.ts';
import { openFile } from './file.ts';

export type StorageOptions = {
  /** The path of the state file; it and its folder are made when there is none. */
  readonly file: string;
  readonly now: () => EpochMs;
  /**
   * Runs a function at the end of the turn of the event loop, as `setImmediate` does: all writes until then share a
   * transaction.
   */
  readonly defer: (run: () => void) => void;
};

/** The storage of an embedded deployment, all in one file. */
export type Storage = {
  readonly table: SqliteTable;
  readonly queue: WatchedQueue;
  readonly feed: Feed;
  /** Commits the waiting work, folds the log into the file and releases the lock. */
  close(): void;
};

/**
 * Opens the state file, which is locked for this process until closed or killed. A write that has resolved is on the
 * disk. Throws a MusterError: `state.locked`, `state.newer` or `state.unreadable`.
 */
export function openStorage({ file, now, defer }: StorageOptions): Storage {
  const db = openFile(file);
  const group = groupCommit(db, defer);
  const feed = fileFeed(db, group);
  return {
    table: sqliteTable(db, group, feed),
    queue: sqliteQueue(db, group, now),
    feed: feed.feed,
    close: () => {
      if (!db.isOpen) return;
      group.close();
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      db.close();
    },
  };
}
