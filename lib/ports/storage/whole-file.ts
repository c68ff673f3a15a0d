import type { DatabaseSync } from 'node:sqlite';
import type { DeadLetterOrigin } from '../queue/queue.ts';
import { attributesOf, rowOf } from '../table/attributes.ts';
import { parseAttributes, printAttributes } from '../table/json.ts';
import { admit } from '../table/limits.ts';
import { storing } from '../table/sqlite.ts';
import type { Key, Row } from '../table/table.ts';
import type { Contents, WaitingMessage, WholeSource, WholeTarget } from '../table/whole.ts';
import { openFile } from './file.ts';

/** A message as stored in the file: its letter as JSON. */
type StoredMessage = Omit<WaitingMessage, 'letter'> & { readonly letter: string | null };

/** The consumer of the feed of a state file, by its name in the wiring. */
const publisher = 'publish';

/**
 * The state file of an embedded deployment as a whole, to be exported or imported to; it is made when there is none. It
 * is locked for this process as for a host, so that all reads see one moment. Everything from `begin` to `commit` is
 * one transaction: if closed before, the file is unchanged. Throws the errors of {@link openFile}.
 */
export function wholeFile(file: string): WholeSource & WholeTarget {
  const db = openFile(file);
  const one = db.prepare('SELECT attributes FROM rows WHERE pk = ? AND sk = ?');
  return {
    read: async ({ pk, sk }) => parsed(one.get(pk, sk)?.['attributes']),
    ...reading(db),
    ...storingWhole(db),
    close: () => {
      if (!db.isOpen) return;
      if (db.isTransaction) db.exec('ROLLBACK');
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      db.close();
    },
  };
}

const parsed = (text: unknown): Row | undefined => (text === undefined ? undefined : rowOf(parseAttributes(text as string)));

/** Images that every consumer has processed are history; the later ones are still unread. */
const unread = `position > (SELECT coalesce(min(position), 0) FROM consumers)`;

function reading(db: DatabaseSync): Pick<WholeSource, 'contents' | 'images' | 'rows' | 'messages'> {
  const all = db.prepare('SELECT attributes FROM rows ORDER BY pk, sk');
  const images = db.prepare(`SELECT position, attributes FROM feed WHERE ${unread} ORDER BY position`);
  const messages = db.prepare('SELECT queue, body, via, sentAt, visibleAt, receives, letter FROM messages ORDER BY id');
  return {
    contents: async () => contentsOf(db),
    async *rows() {
      for (const { attributes } of all.iterate()) yield parsed(attributes)!;
    },
    async *images() {
      for (const { position, attributes } of images.iterate()) yield { offset: String(position), row: parsed(attributes)! };
    },
    async *messages() {
      // Exactly the selected columns, as the queue wrote them.
      for (const { letter, ...message } of messages.iterate() as Iterable<StoredMessage>)
        yield { ...message, ...(letter !== null && { letter: JSON.parse(letter) as DeadLetterOrigin }) };
    },
  };
}

function contentsOf(db: DatabaseSync): Contents {
  const count = (from: string): number => (db.prepare(`SELECT count(*) AS many FROM ${from}`).get() as { many: number }).many;
  const kinds = db.prepare(`SELECT substr(pk, 1, instr(pk || '#', '#') - 1) AS kind, count(*) AS many FROM rows GROUP BY 1 ORDER BY 1`);
  const last = db.prepare(`SELECT seq FROM sqlite_sequence WHERE name = 'feed'`).get()?.['seq'];
  return {
    rows: count('rows'),
    kinds: Object.fromEntries(kinds.all().map(({ kind, many }) => [kind as string, many as number])),
    images: count(`feed WHERE ${unread}`),
    messages: count('messages'),
    ...(last && { feedLast: String(last) }),
  };
}

const emptied = ['rows', 'feed', 'consumers', 'messages'].map((table) => `DELETE FROM ${table};`).join(' ');

function storingWhole(db: DatabaseSync): Omit<WholeTarget, 'read' | 'close'> {
  const store = storing(db);
  // The same limits as in every table: a stored row must fit into any of them.
  const put = (row: Row): void => {
    const { attributes, bytes } = admit([{ put: row, readRev: row.rev - 1 }])[0]!.put!;
    store({ key: row.key, rev: row.rev, attributes, bytes, text: printAttributes(attributes) });
  };
  const image = db.prepare('INSERT INTO feed (position, at, attributes) VALUES (?, ?, ?)');
  const message = db.prepare('INSERT INTO messages (queue, body, via, sentAt, visibleAt, receives, letter) VALUES (?, ?, ?, ?, ?, ?, ?)');
  const other = db.prepare(
    'SELECT 1 FROM rows WHERE NOT (pk = ? AND sk = ?) UNION ALL SELECT 1 FROM messages UNION ALL SELECT 1 FROM feed LIMIT 1',
  );
  return {
    holdsMoreThan: async ({ pk, sk }) => other.get(pk, sk) !== undefined,
    begin: async (marker) => {
      db.exec(`BEGIN IMMEDIATE; ${emptied}`);
      put(marker);
    },
    storeImages: async (images) => {
      for (const { offset, row } of images) image.run(Number(offset), row.at, printAttributes(attributesOf(row, row.rev)));
    },
    storeRows: async (rows) => rows.forEach(put),
    storeMessages: async (messages) => {
      for (const { queue, body, via, sentAt, visibleAt, receives, letter } of messages)
        message.run(queue, body, via, sentAt, visibleAt, receives, letter ? JSON.stringify(letter) : null);
    },
    commit: async (feedLast) => {
      goOn(db, feedLast);
      db.exec('COMMIT');
    },
    settle: async ({ pk, sk }: Key) => void db.prepare('DELETE FROM rows WHERE pk = ? AND sk = ?').run(pk, sk),
  };
}

/** The feed continues its numbers after `last`, and its consumer starts at its first image. */
function goOn(db: DatabaseSync, last: string | undefined): void {
  db.exec(`DELETE FROM sqlite_sequence WHERE name = 'feed'`);
  if (last === undefined) return;
  db.prepare(`INSERT INTO sqlite_sequence (name, seq) VALUES ('feed', ?)`).run(Number(last));
  const first = db.prepare('SELECT min(position) AS position FROM feed').get()?.['position'];
  db.prepare('INSERT INTO consumers VALUES (?, ?)').run(publisher, first === null ? Number(last) : Number(first) - 1);
}
