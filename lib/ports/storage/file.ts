import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MusterError } from '../../core/errors.ts';

/** The version of the layout below; a file with a later layout is refused, one with an earlier layout is upgraded. */
const layoutVersion = 2;

/** The upgrade from the first layout. */
const sinceFirst = 'ALTER TABLE messages ADD COLUMN letter TEXT';

/**
 * Rows carry their attributes as one text beside the columns that queries use; `bytes` is their size as DynamoDB counts
 * it. `expiresAt` is when a row may be removed. The indexes are partial, because few rows are in them. Feed offsets are
 * never reused, not even after the feed was trimmed.
 */
const layout = `
CREATE TABLE IF NOT EXISTS rows (
  pk TEXT NOT NULL, sk TEXT NOT NULL, rev INTEGER NOT NULL, bytes INTEGER NOT NULL, attributes TEXT NOT NULL,
  due INTEGER, wakeAt INTEGER, lpk TEXT, lsk TEXT, ipk TEXT, isk TEXT, expiresAt INTEGER,
  PRIMARY KEY (pk, sk)
);
CREATE INDEX IF NOT EXISTS rows_due ON rows (due, wakeAt, pk, sk) WHERE due IS NOT NULL;
CREATE INDEX IF NOT EXISTS rows_list ON rows (lpk, lsk, pk, sk) WHERE lpk IS NOT NULL;
CREATE INDEX IF NOT EXISTS rows_inverse ON rows (ipk, isk, pk, sk) WHERE ipk IS NOT NULL;
CREATE INDEX IF NOT EXISTS rows_expiring ON rows (expiresAt) WHERE expiresAt IS NOT NULL;
CREATE TABLE IF NOT EXISTS feed (position INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, attributes TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS consumers (consumer TEXT PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, queue TEXT NOT NULL, body TEXT NOT NULL, via TEXT NOT NULL,
  sentAt INTEGER NOT NULL, visibleAt INTEGER NOT NULL, receives INTEGER NOT NULL, letter TEXT
);
CREATE INDEX IF NOT EXISTS messages_of ON messages (queue);
PRAGMA user_version = ${layoutVersion};
`;

/**
 * Opens the one file of an embedded deployment and makes it, with its folder, when there is none. The file stays locked
 * for this process until it is closed. Throws a MusterError at once: `state.locked` when another process has it,
 * `state.newer` when a later version of Muster wrote it, `state.unreadable` when it cannot be opened or is not a
 * database.
 */
export function openFile(file: string): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    // No time-out: a process that has the file holds it until it ends, so waiting would only delay the message.
    db = new DatabaseSync(file, { timeout: 0 });
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
    if (versionOf(db, file) === 1) db.exec(sinceFirst);
    db.exec(`${layout} COMMIT`);
    return db;
  } catch (error) {
    db?.close();
    throw error instanceof MusterError ? error : refusalOf(error, file);
  }
}

/** The version of the file's layout, 0 for a new one. Throws when it is later than ours. */
function versionOf(db: DatabaseSync, file: string): number {
  const { user_version: version } = db.prepare('PRAGMA user_version').get() as { user_version: number };
  if (version > layoutVersion)
    throw new MusterError(
      'state.newer',
      `${file} has layout ${version}, and this version of Muster knows ${layoutVersion}: use a newer Muster`,
      'never',
    );
  return version;
}

/** SQLite's primary result codes, https://www.sqlite.org/rescode.html; the upper bits of `errcode` only refine them. */
const sqliteBusy = 5;
const sqliteLocked = 6;

function refusalOf(error: unknown, file: string): MusterError {
  const code = ((error as { errcode?: number }).errcode ?? 0) & 0xff;
  const why = error instanceof Error ? error.message : String(error);
  return code === sqliteBusy || code === sqliteLocked
    ? new MusterError('state.locked', `another process has ${file}: stop it, or use another folder`, 'never', { cause: error })
    : new MusterError('state.unreadable', `${file} cannot be opened: ${why}`, 'never', { cause: error });
}
