import type { RowRef } from '../../core/decision.ts';
import { dayMs, type EpochMs, plusMs } from '../../core/time.ts';
import { auditId, auditLists, keyOf } from '../../ports/table/keys.ts';
import type { Key } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { cursorAt, positionOf } from '../../runtime/cursors.ts';
import type { Answer, Call } from '../../runtime/on-route.ts';
import { read } from '../../runtime/read.ts';
import { readAll } from '../../runtime/read-all.ts';
import type { Shell } from '../../runtime/shell.ts';
import { type AuditHead, type AuditLink, AuditMark, type ChainName, dayOf, noZone, storedSince } from '../chain.ts';
import type { adminAuditRoutes } from '../routes.ts';
import type { Sealing } from '../sealing.ts';
import {
  beginningOf,
  type ChainPosition,
  type Fault,
  faultOfPlace,
  faultsOfEnd,
  faultsOfHistory,
  followOn,
  headIn,
  typesOf,
} from '../verify.ts';
import { type Auditor, chainsFrom, entriesOf, isFor } from './list.ts';
import { faultsOfRows, isOfEntry, sealingOf, unmadeKeys } from './rows.ts';

/** The most entries or marks of one part: some ten reads of a hundred rows, far within the time of a function. */
const entriesMax = 200;
/** The most chains, or days without any, of one part: a few reads each. */
const chainsMax = 50;

type Days = { readonly from: string; readonly to: string };
/**
 * Where a part begins: after a place of a chain, a mark of a day, or an API key. Chains come first, then marks, then
 * keys.
 */
type Position =
  | ({ readonly at: 'chains'; readonly name?: ChainName } & ChainPosition)
  | { readonly at: 'marks'; readonly day: string; readonly after?: string }
  | { readonly at: 'keys'; readonly after?: string };
/** The caller of a part, the days that it covers, and the keys to verify by. */
type VerifyScope = { readonly caller: Auditor; readonly days: Days; readonly sealing: Sealing };
/** The findings of a part, and where the next one begins; the last part has none. */
type Part = { entries: number; days: number; faults: Fault[]; next?: Position };

/**
 * Verifies a part of the audit. It checks every chain from entry to entry, and against the marks beside the changed
 * rows. Then it checks in the other direction that every entry exists that the marks refer to. Each caller receives
 * faults of its own zones only.
 */
export async function verifyAudit(
  { query, caller }: Call<(typeof adminAuditRoutes)['verifyAudit'], Auditor>,
  shell: Shell,
): Promise<Answer> {
  const since = storedSince(shell.now());
  const days = { from: later(query.from ?? since, since), to: query.to ?? dayOf(shell.now()) };
  const signature = `verify audit ${JSON.stringify(days)}`;
  const cursor = await positionOf(shell, query.cursor, signature);
  const position: Position = cursor === undefined ? { at: 'chains', n: 0, hash: undefined } : (JSON.parse(cursor) as Position);
  const part = await partAt(shell, { caller, days, sealing: await sealingOf(shell) }, position);
  const { entries, days: ended, faults, next } = part;
  const more = next && { next: await cursorAt(shell, JSON.stringify(next), signature) };
  return { status: 200, body: { ok: faults.length === 0, entries, days: ended, faults, keptSince: since, ...more } };
}

async function partAt(shell: Shell, scope: VerifyScope, position: Position): Promise<Part> {
  if (position.at === 'chains') return chains(shell, scope, position);
  if (position.at === 'marks') return marks(shell, scope, position);
  const { faults, next } = await unmadeKeys(shell, { after: position.after, limit: entriesMax }, scope.sealing);
  return { entries: 0, days: 0, faults: [...faults], ...(next !== undefined && { next: { at: 'keys', after: next } }) };
}

const later = (a: string, b: string): string => (a > b ? a : b);

/** Verifies chain by chain, up to so many entries. */
async function chains(shell: Shell, scope: VerifyScope, from: Position & { at: 'chains' }): Promise<Part> {
  const { caller, days, sealing } = scope;
  const part: Part = { entries: 0, days: 0, faults: [] };
  const found = await chainsFrom(shell, from.name, days, chainsMax);
  let at: ChainPosition | undefined = from.n > 0 ? from : undefined;
  for (const name of found.items) {
    if (isFor(caller, name)) {
      const left = entriesMax - part.entries;
      const to = left > 0 ? await followChain(shell, name, at, { part, sealing }) : (at ?? { n: 0, hash: undefined });
      if (to) return { ...part, next: { at: 'chains', name, ...to } };
      part.days += 1;
    }
    at = undefined;
  }
  return { ...part, next: found.next ? { at: 'chains', name: found.next, n: 0, hash: undefined } : { at: 'marks', day: days.from } };
}

/** Follows a chain to its end, or as far as a part goes; gives the place reached when the chain goes on. */
async function followChain(
  shell: Shell,
  name: ChainName,
  from: ChainPosition | undefined,
  { part, sealing }: { readonly part: Part; readonly sealing: Sealing },
): Promise<ChainPosition | undefined> {
  let at = from;
  for (;;) {
    const head = await headOf(shell, name);
    if (!at) {
      part.faults.push(...(await faultsOfLast(shell, name, head)));
      at = beginningOf(head);
    }
    const { items, more } = await entriesOf(shell, name, at.n, entriesMax - part.entries);
    const page = followOn(name, at, items, sealing);
    at = page.reached;
    part.entries += items.length;
    part.faults.push(...page.faults, ...(await faultsBeside(shell, name, page.links, sealing)));
    if (more || part.entries >= entriesMax) return at;
    // The head is read before the entries, so it is never ahead of them. If it is behind, an entry may just have been
    // added, and it is read again.
    if (head && at.n > head.n && items.length > 0) continue;
    part.faults.push(...faultsOfEnd(name, head, at, sealing));
    return undefined;
  }
}

const bodyAt = async (shell: Shell, ref: RowRef): Promise<unknown> => await read(shell, ref);
const headOf = async (shell: Shell, name: ChainName): Promise<AuditHead | undefined> =>
  headIn(name, await bodyAt(shell, { noun: 'audit-head', id: `${name.zone}/${name.day}` }));
/** The states of rows, in the order of the keys. */
const bodiesAt = async (shell: Shell, keys: readonly Key[]): Promise<unknown[]> =>
  (await readAll(shell, keys)).map((row) => stateOf(row, shell.now()));

/** Checks that the last entry of the previous chain of the zone, as this chain names it, still exists. */
async function faultsOfLast(shell: Shell, { zone }: ChainName, head: AuditHead | undefined): Promise<Fault[]> {
  const { follows } = head ?? {};
  if (!follows || follows.day < storedSince(shell.now())) return [];
  const name = { zone, day: follows.day };
  const entry = await bodyAt(shell, { noun: 'audit', id: auditId(name, follows.n) });
  return [faultOfPlace(name, follows, entry, `the chain of ${head!.day}`) ?? []].flat();
}

/**
 * Checks that the marks and the history of the changed rows agree with these entries, and that the rows are as the
 * entries left them.
 */
async function faultsBeside(shell: Shell, name: ChainName, links: readonly AuditLink[], sealing: Sealing): Promise<Fault[]> {
  const events = links.map(({ entry }) =>
    typesOf(entry).map(({ seq }) => keyOf({ noun: 'history', id: `${entry.what.noun}:${entry.what.id}/${seq}` })),
  );
  const [rows, histories] = await Promise.all([faultsOfRows(shell, name, links, sealing), bodiesAt(shell, events.flat())]);
  const recorded = events.map((keys) => histories.splice(0, keys.length));
  return links.flatMap((link, i) => [...rows[i]!, ...faultsOfHistory(name, link, recorded[i]!)]);
}

/** Verifies the marks beside changed rows, day by day. */
async function marks(shell: Shell, { caller, days, sealing }: VerifyScope, from: Position & { at: 'marks' }): Promise<Part> {
  const part: Part = { entries: 0, days: 0, faults: [] };
  let { day, after } = from;
  for (let daysRead = 0; daysRead < chainsMax; daysRead++) {
    const page = await shell.table.queryIndex({
      index: 'list',
      pk: auditLists.marks(day),
      limit: entriesMax,
      ...(after !== undefined && { after }),
    });
    const keys = page.items.map(({ key }) => key);
    part.faults.push(...(await faultsOfMarks(shell, caller, keys, sealing)));
    after = page.next;
    if (after === undefined) {
      // Keys belong to no zone.
      if (day >= days.to) return isFor(caller, { zone: noZone, day }) ? { ...part, next: { at: 'keys' } } : part;
      day = dayOf(plusMs(Date.parse(`${day}T00:00:00Z`) as EpochMs, dayMs));
    }
    if (page.items.length > 0) break;
  }
  return { ...part, next: { at: 'marks', day, ...(after !== undefined && { after }) } };
}

/** Checks that the entries that marks refer to exist, and the head of each chain. */
async function faultsOfMarks(shell: Shell, caller: Auditor, keys: readonly Key[], sealing: Sealing): Promise<Fault[]> {
  const read = (await bodiesAt(shell, keys)).map((body) => AuditMark.safeParse(body));
  const known = read.flatMap(({ data }, i) => (data && isFor(caller, data) ? [{ mark: data, key: keys[i]! }] : []));
  const entries = await bodiesAt(
    shell,
    known.map(({ mark }) => keyOf({ noun: 'audit', id: auditId(mark, mark.n) })),
  );
  const faults = known.flatMap(({ mark, key }, i): Fault[] => {
    const fault = faultOfPlace(chainName(mark), mark, entries[i], 'the changed row');
    if (fault || isOfEntry(key, entries[i])) return fault ? [fault] : [];
    return [{ ...chainName(mark), n: mark.n, what: 'has a mark beside a row that it is not about' }];
  });
  const heads = new Map(known.map(({ mark }) => [`${mark.zone}/${mark.day}`, chainName(mark)]));
  for (const name of heads.values())
    if (!(await headOf(shell, name))) faults.push(...faultsOfEnd(name, undefined, { n: 0, hash: undefined }, sealing));
  return faults;
}

const chainName = ({ zone, day }: ChainName): ChainName => ({ zone, day });
