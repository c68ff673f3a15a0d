import { dayMs } from '../../../lib/core/time.ts';
import type { Change, IndexKey, Key, Row, RowContent, RowQuery } from '../../../lib/ports/table/table.ts';

/** A table in a few words: rows in a list, looked at one by one. */
export class RememberedTable {
  #rows: Row[];

  constructor(rows: readonly Row[] = []) {
    this.#rows = [...rows];
  }

  get rows(): readonly Row[] {
    return this.#rows;
  }

  row = ({ pk, sk }: Key): Row | undefined => this.#rows.find(({ key }) => key.pk === pk && key.sk === sk);
  rev = (key: Key): number => this.row(key)?.rev ?? 0;

  /** The first change whose row is not where it was read, as a refusal names it; undefined after all were stored. */
  commit(changes: readonly Change[]): string | undefined {
    const refused = changes.map((change) => [keyOf(change), change.readRev] as const).find(([key, readRev]) => this.rev(key) !== readRev);
    if (refused) return `${refused[0].pk}|${refused[0].sk}`;
    for (const change of changes) if ('put' in change) this.#put(change.put, change.readRev + 1);
    return undefined;
  }

  /** Removes what may be removed by then: what had events is kept as long as their history, 90 days. */
  expire(now: number): number {
    const before = this.#rows.length;
    this.#rows = this.#rows.filter(
      ({ expiresAt, eventSeq }) => expiresAt === undefined || expiresAt + (eventSeq > 0 ? 90 * dayMs : 0) > now,
    );
    return before - this.#rows.length;
  }

  /** Every row of a partition that a query asks for, in its order, whatever its limit. */
  query(query: RowQuery): Row[] {
    const found = this.#rows.filter(({ key }) => key.pk === query.pk && isWithin(key.sk, query));
    return found.sort((a, b) => bytewise(a.key.sk, b.key.sk) * (query.descending ? -1 : 1));
  }

  /** Every entry of an index partition. */
  entries(index: 'list' | 'inverse', query: RowQuery): { key: Key; sk: string }[] {
    const placed = this.#rows.flatMap((row) => entryOf(row, index === 'list' ? row.list : row.edge));
    return placed
      .filter(({ pk, sk }) => pk === query.pk && isWithin(sk, query))
      .map(({ key, sk }) => ({ key, sk }))
      .sort((a, b) => bytewise(a.sk, b.sk));
  }

  /** Rows that wake by then. */
  due = (now: number): Row[] => this.#rows.filter(({ wakeAt }) => wakeAt !== undefined && wakeAt <= now);

  #put(row: RowContent, rev: number): void {
    this.#rows = [...this.#rows.filter(({ key }) => key.pk !== row.key.pk || key.sk !== row.key.sk), { ...row, rev }];
  }
}

/** The key a change is about. */
export const keyOf = (change: Change): Key => ('put' in change ? change.put.key : change.check);

const bytewise = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));
const entryOf = ({ key }: Row, at: IndexKey | undefined) => (at ? [{ key, pk: at.pk, sk: at.sk }] : []);

function isWithin(sk: string, { from, to, after, descending }: Omit<RowQuery, 'pk' | 'limit'>): boolean {
  if (from !== undefined && bytewise(sk, from) < 0) return false;
  if (to !== undefined && bytewise(sk, to) > 0) return false;
  return after === undefined || bytewise(sk, after) * (descending ? -1 : 1) > 0;
}
