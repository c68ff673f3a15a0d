import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Document } from '../../../lib/search/segment/segment.ts';

/** How many systems a query finds, and the ids and names of the first 50. */
export type Found = { readonly total: number; readonly first: readonly { readonly id: string; readonly name: string }[] };

/**
 * The same systems in SQLite, in memory: an index for every field, and its full-text index with trigrams for names,
 * which answers globs.
 */
export class SqliteSystems {
  readonly #database = new DatabaseSync(':memory:');

  constructor(all: Iterable<Document>) {
    this.#database.exec(`
      CREATE TABLE systems (n INTEGER PRIMARY KEY, id TEXT, name TEXT, grp TEXT, seen INTEGER);
      CREATE TABLE tags (tag TEXT, n INTEGER, PRIMARY KEY (tag, n)) WITHOUT ROWID;
      CREATE VIRTUAL TABLE names USING fts5 (name, tokenize = 'trigram');
      BEGIN`);
    const [system, tag, name] = [
      this.#database.prepare('INSERT INTO systems VALUES (?, ?, ?, ?, ?)'),
      this.#database.prepare('INSERT INTO tags VALUES (?, ?)'),
      this.#database.prepare('INSERT INTO names (rowid, name) VALUES (?, ?)'),
    ];
    let n = 0;
    for (const one of all) {
      n += 1;
      system.run(n, one.id, one.names[0]!, one.keywords.get('group')![0]!, one.numbers.get('seen')!);
      name.run(n, one.names[0]!);
      for (const each of one.keywords.get('tag')!) tag.run(each, n);
    }
    this.#database.exec(`
      COMMIT;
      INSERT INTO names (names) VALUES ('optimize');
      CREATE INDEX by_name ON systems (name);
      CREATE INDEX by_group ON systems (grp, n);
      ANALYZE`);
  }

  /** How many bytes it takes. */
  get bytes(): number {
    const pragma = (name: string): number => Number(Object.values(this.#database.prepare(`PRAGMA ${name}`).get()!)[0]);
    return pragma('page_count') * pragma('page_size');
  }

  /** Finds systems by a part of a query that selects their `n`, in its order. */
  find(select: string, ...values: readonly SQLInputValue[]): () => Found {
    const count = this.#database.prepare(`SELECT count(*) AS total FROM (${select})`);
    const first = this.#database.prepare(
      `SELECT id, name FROM systems WHERE n IN (SELECT n FROM (${select}) ORDER BY n LIMIT 50) ORDER BY n`,
    );
    return () => ({
      total: Number(count.get(...values)!['total']),
      first: first.all(...values).map((row) => ({ id: String(row['id']), name: String(row['name']) })),
    });
  }
}
