import { apiKeyRef } from '../../access/api-keys/api-key.ts';
import type { RowRef } from '../../core/decision.ts';
import { apiKeyList, auditId, keyOf, markedIn, markId, marksOf, subjectKey, subjectOf } from '../../ports/table/keys.ts';
import { type Key, nameOf } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { readListed, readRows } from '../../runtime/read.ts';
import { readAll } from '../../runtime/read-all.ts';
import type { Shell } from '../../runtime/shell.ts';
import { AuditLink, AuditMark, type ChainName, dayOf, noZone } from '../chain.ts';
import { isGuarded } from '../seal.ts';
import { type Sealing, sealingBy } from '../sealing.ts';
import { type Fault, faultOfMark } from '../verify.ts';
import { type Beside, faultOfRow, isOnItsWay } from '../verify-rows.ts';

/*
 * Checks that the rows named in the audit are as it records them. This finds writes to the table that bypassed Muster:
 * above all an API key whose rights were raised, or one that Muster did not create.
 */

/** The keys and dates by which the audit is verified, as they are now. */
export async function sealingOf({ auditKeys }: Pick<Shell, 'auditKeys'>): Promise<Sealing> {
  const ages = await auditKeys.ages();
  const keys = await Promise.all(ages.map(({ id }) => auditKeys.byId(id)));
  return sealingBy(
    keys.flatMap((key) => key ?? []),
    ages,
  );
}

/** The faults beside each of these entries: in its mark, or in the row that it is about. */
export async function faultsOfRows(shell: Shell, name: ChainName, links: readonly AuditLink[], sealing: Sealing): Promise<Fault[][]> {
  const marked = links.map(({ entry }) => keyOf({ noun: 'audited', id: markId(entry.what, entry.at) }));
  // A batch must not read a row twice.
  const distinct = [...new Map(links.map(({ entry: { what } }) => [nameOf(subjectKey(what)), subjectKey(what)])).values()];
  const [marks, rows, guarded] = await Promise.all([
    readAll(shell, marked),
    readAll(shell, distinct),
    marksOfGuarded(shell, links, sealing),
  ]);
  const rowOf = new Map(distinct.map((key, i) => [nameOf(key), rows[i]]));
  return links
    .map((link, i): Fault | readonly Fault[] => {
      const body = stateOf(marks[i], shell.now());
      const fault = faultOfMark(name, link, body, sealing);
      if (fault) return [fault];
      const about = nameOf(subjectKey(link.entry.what));
      const beside = { mark: AuditMark.safeParse(body).data, row: rowOf.get(about), marked: guarded.get(about) ?? new Map() };
      return faultOfRow(name, link.entry, beside, shell.now()) ?? [];
    })
    .map((found) => [found].flat());
}

/** The sound marks of each guarded row that these entries are about, by its revision. */
async function marksOfGuarded(shell: Rows, links: readonly AuditLink[], sealing: Sealing): Promise<Map<string, Beside['marked']>> {
  const guarded = new Map(links.flatMap(({ entry: { what } }) => (isGuarded(what.noun) ? [[nameOf(subjectKey(what)), what]] : [])));
  const read = [...guarded].map(async ([name, what]) => [name, await soundMarks(shell, what, sealing)] as const);
  return new Map(await Promise.all(read));
}

type Rows = Pick<Shell, 'table' | 'now'>;

/**
 * The marks beside a row that Muster made, by the revision of each: each is sealed, and belongs to an entry about this
 * revision. A writer to the table can add others, forged or moved from another row.
 */
async function soundMarks(shell: Rows, about: RowRef, sealing: Sealing): Promise<ReadonlyMap<number, AuditMark>> {
  const { items } = await shell.table.query({ pk: marksOf(about), limit: marksMax });
  const marks = items.flatMap((row) => {
    const mark = AuditMark.safeParse(stateOf(row, shell.now())).data;
    return mark ? [{ key: row.key, mark }] : [];
  });
  const entries = await readRows(
    shell,
    marks.map(({ mark }) => ({ noun: 'audit', id: auditId(mark, mark.n) })),
  );
  const sound = marks.filter(({ key, mark }, i) => {
    const link = AuditLink.safeParse(stateOf(entries[i], shell.now())).data;
    return link !== undefined && isOfEntry(key, link) && !faultOfMark(mark, link, mark, sealing);
  });
  return new Map(sound.map(({ key, mark }) => [markedIn(key.sk), mark]));
}

/** A key is created and revoked: no key has nearly as many changes. */
const marksMax = 100;

/** Whether a mark is beside the row that its entry is about. */
export function isOfEntry(mark: Key, body: unknown): boolean {
  const { data } = AuditLink.safeParse(body);
  return data !== undefined && nameOf(keyOf({ noun: 'audited', id: markId(data.entry.what, data.entry.at) })) === nameOf(mark);
}

/**
 * Faults for API keys and sessions, after a given one, whose creation the audit does not record; `next` when others may
 * follow.
 */
export async function unmadeKeys(
  shell: Rows,
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
  sealing: Sealing,
): Promise<{ readonly faults: readonly Fault[]; readonly next?: string }> {
  const page = await shell.table.queryIndex({ index: 'list', pk: apiKeyList, limit, ...(after !== undefined && { after }) });
  const rows = await readListed(
    shell,
    apiKeyRef,
    page.items.map(({ key }) => key),
  );
  const faults = rows.map(async (row): Promise<Fault[]> => {
    const key = stateOf(row, shell.now());
    if (!key || isOnItsWay(row!, shell.now())) return [];
    const marks = await soundMarks(shell, subjectOf(row!.key), sealing);
    const what = `api-key ${key.id} was not created by Muster: the audit has no entry about it`;
    return marks.size > 0 ? [] : [{ zone: noZone, day: dayOf(shell.now()), n: 0, what }];
  });
  return { faults: (await Promise.all(faults)).flat(), ...(page.next !== undefined && { next: page.next }) };
}
