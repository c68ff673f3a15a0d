import { type EpochMs, plusMs } from '../core/time.ts';
import { journalAfter, journalList, journalPartition } from '../ports/table/keys.ts';
import { read, readRows, trustedRows } from '../runtime/read.ts';
import type { Shell } from '../runtime/shell.ts';
import { wholeList } from '../runtime/whole-list.ts';
import { type JournalEnd, type JournalRow, journalEndRef, journalRef, rowsForMs } from './journal.ts';
import type { Place } from './position.ts';

type Rows = Pick<Shell, 'table' | 'now'>;

/** Every part that has had rows in the last weeks, as the index lists them. */
export const journalParts = async (shell: Rows): Promise<readonly string[]> => (await wholeList(shell, journalList)).map(({ sk }) => sk);

/**
 * The ends of these parts as they were a moment ago, at half a read unit each; `ended`: those of parts that had rows of
 * which none is left.
 */
export async function journalEnds(
  shell: Rows,
  parts: readonly string[],
): Promise<{ readonly ends: ReadonlyMap<string, JournalEnd>; readonly ended: ReadonlyMap<string, JournalEnd> }> {
  const rows = await readRows(
    shell,
    parts.map((part) => journalEndRef(part)),
    'lately',
  );
  const since = plusMs(shell.now(), -rowsForMs);
  const ends = new Map<string, JournalEnd>();
  const ended = new Map<string, JournalEnd>();
  for (const [i, part] of parts.entries()) {
    const end = rows[i]?.body;
    if (end && end.at >= since) ends.set(part, end);
    else if (end) ended.set(part, end);
  }
  return { ends, ended };
}

/**
 * Up to `limit` rows of a part after a number, in order; cut when others may follow. Undefined when one of them has
 * ended, so that nobody can read on from there.
 */
export async function journalRows(
  { table }: Rows,
  part: string,
  after: number,
  limit: number,
): Promise<{ readonly rows: readonly JournalRow[]; readonly isCut: boolean } | undefined> {
  const page = await table.query({ pk: journalPartition(part), ...journalAfter(after), limit });
  const rows = trustedRows(journalRef, page.items).map(({ body }) => body);
  if (rows.some(({ n }, i) => n !== after + 1 + i)) return undefined;
  return { rows, isCut: page.next !== undefined };
}

/** The place before the first row that was published at a moment or later: the end of the part when there is none. */
export async function placeSince(shell: Rows, part: string, end: JournalEnd, since: EpochMs): Promise<Place> {
  if (end.at < since) return { n: end.n, k: 0 };
  const isSince = async (n: number): Promise<boolean> => ((await read(shell, journalRef(part, n)))?.at ?? 0) >= since;
  let [before, first] = [0, end.n];
  // Most look back a few minutes of a day.
  for (let step = 1; end.n - step > 0; step *= 2) {
    if (!(await isSince(end.n - step))) {
      before = end.n - step;
      break;
    }
    first = end.n - step;
  }
  while (first - before > 1) {
    const middle = Math.floor((before + first) / 2);
    if (await isSince(middle)) first = middle;
    else before = middle;
  }
  return { n: first - 1, k: 0 };
}
