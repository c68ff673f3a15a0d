import {
  type AuditEntry,
  type AuditHead,
  type AuditLink,
  type AuditMark,
  type ChainName,
  dayOf,
  endOfChain,
  extended,
  newHead,
  noZone,
  sealedHead,
  sealedMark,
} from '../audit/chain.ts';
import { coreOfRow, hashOfRow } from '../audit/seal.ts';
import { type PlannedChange, write } from '../core/decision.ts';
import { ZoneName } from '../core/ids.ts';
import { auditHeads, auditId, markId, subjectOf } from '../ports/table/keys.ts';
import { changesMax } from '../ports/table/limits.ts';
import { type FeedImage, isAudited, type Row } from '../ports/table/table.ts';
import { applyPlan } from './apply-plan.ts';
import type { AttemptRow } from './attempts.ts';
import { stateOf } from './content.ts';
import { shortened } from './dead-letter.ts';
import type { Shell } from './shell.ts';

/** Entries that one commit appends: an entry and its mark each, and the head. */
const appendedMax = Math.floor((changesMax - 1) / 2);

/**
 * Appends the actions and attempts of people and automation to the chains of their zones and days. Each is appended
 * once, even if the feed hands over an image repeatedly, because the same commit makes a mark for it. Throws
 * {@link Later} for transient failures and when a chain stays busy.
 */
export async function keepAudit(shell: Shell, images: readonly Pick<FeedImage, 'row'>[]): Promise<void> {
  const chains = new Map<string, { name: ChainName; rows: Row[] }>();
  for (const { row } of images) {
    if (!row.actor || !isAudited(row.actor)) continue;
    const name = { zone: zoneOf(row), day: dayOf(row.at) };
    const chain = chains.get(`${name.zone}/${name.day}`) ?? { name, rows: [] };
    chain.rows.push(row);
    chains.set(`${name.zone}/${name.day}`, chain);
  }
  for (const { name, rows } of chains.values())
    for (let at = 0; at < rows.length; at += appendedMax) await append(shell, name, rows.slice(at, at + appendedMax));
}

/** The zone in a row's key or body, or {@link noZone}. */
function zoneOf({ key, body }: Row): string {
  const { noun, id } = subjectOf(key);
  const zone = ZoneName.safeParse(['zone', 'cluster', 'seat', 'content'].includes(noun) ? id : (body as { zone?: unknown } | null)?.zone);
  return zone.success ? zone.data : noZone;
}

/** Commits head, entries and marks together; rows with a mark are left out. */
async function append(shell: Shell, name: ChainName, rows: readonly Row[]): Promise<void> {
  const headRef = { noun: 'audit-head', id: `${name.zone}/${name.day}` };
  const key = await shell.auditKeys.current();
  await applyPlan(shell, { id: shell.newId() }, async (reading) => {
    const marks = new Map(rows.map((row) => [markId(whatOf(row), row.at), row]));
    const [headRow, ...marked] = await reading.rows([headRef, ...[...marks.keys()].map(markRef)]);
    const fresh = [...marks].filter((_, i) => marked[i] === undefined);
    if (fresh.length === 0) return { changes: [], because: ['the audit has it already'] };
    let head = stateOf<AuditHead>(headRow, shell.now()) ?? newHead(name, await endedBefore(shell, name));
    const changes = fresh.flatMap(([mark, row]): PlannedChange[] => {
      const { head: next, link } = extended(head, entryOf(row, name.zone), key);
      head = next;
      const { noun } = link.entry.what;
      const core = coreOfRow(noun, row);
      const place = { ...name, n: link.entry.n, hash: link.hash, row: hashOfRow(noun, row), ...(core !== undefined && { core }) };
      return linked(link, sealedMark(place, key), mark);
    });
    head = sealedHead(head, key);
    const because = `${head.n} entries`;
    return { changes: [{ ref: headRef, readRev: headRow?.rev ?? 0, decision: auditWrite(head, because) }, ...changes], because: [because] };
  });
}

const markRef = (id: string) => ({ noun: 'audited', id });

/** An entry and the mark of its row. */
function linked(link: AuditLink, place: AuditMark, mark: string): PlannedChange[] {
  const { n, because } = link.entry;
  return [
    { ref: { noun: 'audit', id: auditId(place, n) }, readRev: 0, decision: auditWrite(link, because, place.day) },
    { ref: markRef(mark), readRev: 0, decision: auditWrite(place, because) },
  ];
}

const auditWrite = <S extends object>(body: S, because: string, day = (body as unknown as ChainName).day) =>
  write<S, never>(body, because, { expiresAt: endOfChain(day) });

/** The present end of the zone's last chain before this day. */
async function endedBefore({ table }: Pick<Shell, 'table'>, { zone, day }: ChainName): Promise<AuditHead['follows']> {
  const page = await table.query({ pk: auditHeads(zone), to: day, after: day, descending: true, limit: 1 });
  const before = page.items[0]?.body as AuditHead | undefined;
  return before && { day: before.day, n: before.n, hash: before.hash };
}

const whatOf = ({ key, rev }: Row): AuditEntry['what'] => ({ ...subjectOf(key), row: key.sk, rev });

function entryOf(row: Row, zone: string): Omit<AuditEntry, 'n'> {
  const { at, actor, because, changed, events } = row;
  const what = whatOf(row);
  return {
    at,
    zone,
    ...actor!,
    did: what.noun === 'attempt' ? 'tried' : row.gone ? 'ended' : changed ? 'changed' : 'began',
    what,
    because: shortened(because),
    ...(changed && changed.length > 0 && { fields: [...changed] }),
    ...(events.length > 0 && { events: { first: events[0]!.seq, types: events.map(({ type }) => type) } }),
    ...(what.noun === 'attempt' && { refused: row.body as AttemptRow }),
  };
}
