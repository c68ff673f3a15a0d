import type { AdminCaller } from '../../access/verify-admin.ts';
import type { ZoneName } from '../../core/ids.ts';
import { dayMs, plusMs } from '../../core/time.ts';
import { auditLists, auditPartition, auditSort, chainOf, listedDays } from '../../ports/table/keys.ts';
import { stateOf } from '../../runtime/content.ts';
import { cursorAt, positionOf } from '../../runtime/cursors.ts';
import type { Answer, Call } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Caller } from '../../runtime/verify.ts';
import { AuditLink, type ChainName, dayOf } from '../chain.ts';
import type { AuditPlace, AuditView, adminAuditRoutes } from '../routes.ts';
import type { Stored } from '../verify.ts';

/** The caller, and the zones that it may see. Entries of no zone are only for callers that may see all zones. */
export type Auditor = Caller & Pick<AdminCaller, 'zones'>;

/** Whether an auditor may see a chain. */
export const isFor = ({ zones }: Auditor, { zone }: ChainName): boolean => zones === 'all' || zones.includes(zone as ZoneName);

/** The most entries that one page reads: a filter that matches few gives short pages, and a cursor to continue. */
const entriesMax = 400;
/** The most chains that one page reads; each costs at least one read. */
const chainsMax = 50;

/**
 * Actions and attempts of people and automation, in the order of days, zones and numbers. An unreadable entry is named
 * by its place: `verify` reports more.
 */
export async function listAudit({ query, caller }: Call<(typeof adminAuditRoutes)['listAudit'], Auditor>, shell: Shell): Promise<Answer> {
  const { cursor, limit, zone, who } = query;
  const { from = dayOf(plusMs(shell.now(), -6 * dayMs)), to = dayOf(shell.now()) } = query;
  const signature = `audit ${JSON.stringify({ from, to, zone, who })}`;
  const items: AuditView[] = [];
  const unreadable: AuditPlace[] = [];
  const answer = async (next?: string): Promise<Answer> => ({
    status: 200,
    body: {
      items,
      ...(unreadable.length > 0 && { unreadable }),
      ...(next !== undefined && { next: await cursorAt(shell, next, signature) }),
    },
  });
  const begin = parted(await positionOf(shell, cursor, signature));
  const chains = await chainsFrom(shell, begin.name, { from, to }, chainsMax);
  let entriesRead = 0;
  let after = begin.n;
  for (const name of chains.items) {
    if ((zone === undefined || name.zone === zone) && isFor(caller, name)) {
      const want = Math.min(limit - items.length, entriesMax - entriesRead);
      if (want === 0) return answer(positionIn(name, after));
      const page = await entriesOf(shell, name, after, want);
      entriesRead += page.items.length;
      const views = page.items.map((stored) => viewOf(stored));
      unreadable.push(...page.items.flatMap(({ n }, i) => (views[i] ? [] : [{ zone: name.zone, day: name.day, n }])));
      items.push(...views.flatMap((view) => (view && isOf(view, who) ? [view] : [])));
      if (page.more) return answer(positionIn(name, page.items.at(-1)!.n));
    }
    after = 0;
  }
  return answer(chains.next && positionIn(chains.next, 0));
}

const positionIn = ({ day, zone }: ChainName, n: number): string => `${day}/${zone}/${n}`;
function parted(position: string | undefined): { name?: ChainName; n: number } {
  if (position === undefined) return { n: 0 };
  const [day, zone, n] = position.split('/') as [string, string, string];
  return { name: { day, zone }, n: Number(n) };
}

/** Chains of some days in the order of days and zones, starting with the given one; `next` when more follow. */
export async function chainsFrom(
  { table }: Pick<Shell, 'table'>,
  name: ChainName | undefined,
  days: { readonly from: string; readonly to: string },
  limit: number,
): Promise<{ readonly items: readonly ChainName[]; readonly next?: ChainName }> {
  const range = listedDays(days);
  const begin = name && auditLists.place(name);
  const page = await table.queryIndex({ index: 'list', pk: auditLists.heads, ...range, ...(begin && { from: begin }), limit: limit + 1 });
  const found = page.items.map(({ key }) => chainOf(key));
  // The index may not show the chain of a cursor yet.
  const items = name && (found[0]?.day !== name.day || found[0].zone !== name.zone) ? [name, ...found] : found;
  return { items: items.slice(0, limit), ...(items.length > limit && { next: items[limit]! }) };
}

/** The entries of a chain after a number; `more` when others may follow. */
export async function entriesOf(
  shell: Pick<Shell, 'table' | 'now'>,
  name: ChainName,
  after: number,
  limit: number,
): Promise<{ readonly items: readonly Stored[]; readonly more: boolean }> {
  const page = await shell.table.query({ pk: auditPartition(name), from: auditSort(after + 1), limit });
  const rows = page.items.filter((row) => stateOf(row, shell.now()) !== undefined);
  return { items: rows.map(({ key, rev, body }) => ({ n: Number(key.sk), rev, body })), more: page.next !== undefined && rows.length > 0 };
}

/** Whether an entry is attributed to `who`; undefined matches all. */
const isOf = (view: AuditView, who: string | undefined): boolean => who === undefined || view.who === who;

/** An entry with its place in the chain; undefined when it cannot be read. */
function viewOf({ body }: Stored): AuditView | undefined {
  const { data } = AuditLink.safeParse(body);
  if (!data) return undefined;
  const { entry, previous, hash } = data;
  return { ...entry, at: new Date(entry.at).toISOString(), previous, hash };
}
