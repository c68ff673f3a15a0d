import { historyForMs } from '../core/history.ts';
import {
  type AuditEntry,
  AuditHead,
  AuditLink,
  AuditMark,
  type ChainName,
  dayOf,
  hashOf,
  originOf,
  type Place,
  sealedHead,
  sealedMark,
} from './chain.ts';
import { isDue, type Sealing } from './sealing.ts';

/** A fault in the audit: the chain, the number, and what is wrong. */
export type Fault = ChainName & { readonly n: number; readonly what: string };

/** A stored entry: its number by its key, how often it was written, and its body. */
export type Stored = { readonly n: number; readonly rev: number; readonly body: unknown };

/**
 * How far a chain has been followed. `hash` is the hash that the next entry must name as the previous one; undefined if
 * it is unknown.
 */
export type ChainPosition = { readonly n: number; readonly hash: string | undefined };

/** The result for the entries of a page; `links` are the readable ones, in order. */
export type Page = { readonly reached: ChainPosition; readonly links: readonly AuditLink[]; readonly faults: readonly Fault[] };

/**
 * Follows a chain over the entries after a place, in the order of their numbers. After a fault it continues with the
 * stored entries.
 */
export function followOn(chain: ChainName, from: ChainPosition, stored: readonly Stored[], sealing: Sealing): Page {
  const faults: Fault[] = [];
  const links: AuditLink[] = [];
  let { n, hash }: { n: number; hash: string | undefined } = from;
  for (const row of stored) {
    const addFault = (what: string): void => void faults.push({ ...chain, n: row.n, what });
    if (row.n !== n + 1) {
      faults.push({ ...chain, n: n + 1, what: `${missing(n + 1, row.n - 1)} missing` });
      hash = undefined;
    }
    n = row.n;
    const read = AuditLink.safeParse(row.body);
    if (!read.success) {
      addFault(`cannot be read: /${read.error.issues[0]?.path.join('/')} ${read.error.issues[0]?.message}`);
      hash = undefined;
      continue;
    }
    const link = read.data;
    for (const what of wrongIn(chain, row, { link, sealing })) addFault(what);
    if (hash !== undefined && link.previous !== hash) addFault('does not follow the entry before it');
    hash = link.hash;
    links.push(link);
  }
  return { reached: { n, hash }, links, faults };
}

const missing = (from: number, to: number): string => (from === to ? 'is' : `and up to ${to} are`);

/** The faults of an entry by itself. */
function wrongIn(
  chain: ChainName,
  { n, rev }: Stored,
  { link, sealing }: { readonly link: AuditLink; readonly sealing: Sealing },
): string[] {
  const { entry } = link;
  return [
    ...(entry.n === n ? [] : [`is numbered ${entry.n} in its text`]),
    ...(entry.zone === chain.zone && dayOf(entry.at) === chain.day ? [] : [`belongs to the chain of ${entry.zone} of ${dayOf(entry.at)}`]),
    ...wrongHash(chain, link, sealing),
    ...(rev === 1 ? [] : [`was written ${rev} times`]),
  ];
}

/** The faults of the hash of an entry: it must match the entry, and be made by an audit key from the first key on. */
function wrongHash(chain: ChainName, { entry, previous, hash, key: id }: AuditLink, sealing: Sealing): string[] {
  if (id === undefined && isDue(sealing, chain)) return ['was made without an audit key, although there was one'];
  const key = id === undefined ? undefined : sealing.keys.get(id);
  if (id !== undefined && !key) return [`was made by key ${id}, which is not one of the audit's keys`];
  return hashOf(previous, entry, key) === hash ? [] : ['was changed: its hash does not match'];
}

/** The previous hash that the first entry of a chain must name; unknown without a readable head. */
export const beginningOf = (head: AuditHead | undefined): ChainPosition => ({ n: 0, hash: head && originOf(head) });

/** A head as it is stored; undefined if it cannot be read or belongs to another chain. */
export function headIn(chain: ChainName, body: unknown): AuditHead | undefined {
  const read = AuditHead.safeParse(body);
  return read.success && read.data.zone === chain.zone && read.data.day === chain.day ? read.data : undefined;
}

/** Checks that a chain that was followed to its last entry ends where its head names its end. */
export function faultsOfEnd(chain: ChainName, head: AuditHead | undefined, { n, hash }: ChainPosition, sealing: Sealing): Fault[] {
  if (head && !isSealed(head, sealing)) return [{ ...chain, n: head.n, what: 'the head of the chain was not written by Muster' }];
  if (!head) return [{ ...chain, n, what: 'the head of the chain is missing or cannot be read' }];
  if (head.n > n) return [{ ...chain, n: n + 1, what: `${missing(n + 1, head.n)} missing at the end` }];
  if (head.n < n) return [{ ...chain, n: head.n + 1, what: 'is after the end of the chain' }];
  return hash === undefined || head.hash === hash ? [] : [{ ...chain, n, what: 'is not the entry that the head of the chain names' }];
}

/** Whether Muster wrote a head. This cannot be known for a day without a key, and counts as true. */
function isSealed(head: AuditHead, sealing: Sealing): boolean {
  if (!isDue(sealing, head)) return true;
  const key = head.seal && sealing.keys.get(head.seal.key);
  return key !== undefined && sealedHead(head, key).seal!.mac === head.seal!.mac;
}

/** Checks that the entry at a place is the one that `speaker` refers to. */
export function faultOfPlace(chain: ChainName, { n, hash }: Place, body: unknown, speaker: string): Fault | undefined {
  const link = AuditLink.safeParse(body);
  if (body === undefined) return { ...chain, n, what: `is missing, but ${speaker} refers to it` };
  return link.success && link.data.hash === hash ? undefined : { ...chain, n, what: `is not the entry that ${speaker} refers to` };
}

/** Checks that the mark beside the row of an entry refers to this entry. */
export function faultOfMark(chain: ChainName, { entry, hash }: AuditLink, body: unknown, sealing: Sealing): Fault | undefined {
  const at = { ...chain, n: entry.n };
  const read = AuditMark.safeParse(body);
  const { noun, id } = entry.what;
  if (!read.success) return { ...at, what: `${noun} ${id} has no mark that refers to it` };
  const mark = read.data;
  const isThis = mark.zone === chain.zone && mark.day === chain.day && mark.n === entry.n && mark.hash === hash;
  if (!isThis) return { ...at, what: `the mark of ${noun} ${id} refers to another entry` };
  if (!isDue(sealing, chain) && !mark.seal) return undefined;
  const key = mark.seal && sealing.keys.get(mark.seal.key);
  const isOurs = key !== undefined && sealedMark(mark, key).seal!.mac === mark.seal!.mac;
  return isOurs ? undefined : { ...at, what: `the mark of ${noun} ${id} was not written by Muster` };
}

/** An event as the history of a changed thing stores it. */
type Remembered = { readonly seq: number; readonly type: string; readonly at: number; readonly because: string; readonly who?: string };

/**
 * Checks that the history of a changed thing agrees with the events of an entry. A missing event is no fault: history
 * is stored for less long, and events that could not be sent are not in it. Nor is an event that came after the history
 * of the entry's had ended: the thing was removed, and one of the same name numbers its events from 1 again.
 */
export function faultsOfHistory(chain: ChainName, { entry }: AuditLink, histories: readonly unknown[]): Fault[] {
  const { at, who, because, what, n } = entry;
  return typesOf(entry).flatMap(({ seq, type }, i): Fault[] => {
    const recorded = histories[i] as Remembered | undefined;
    if (
      !recorded ||
      recorded.at - at >= historyForMs ||
      (recorded.seq === seq && recorded.type === type && recorded.at === at && recorded.who === who && isCutFrom(recorded.because, because))
    )
      return [];
    return [{ ...chain, n, what: `the history of ${what.noun} ${what.id} records event ${seq} differently` }];
  });
}

/** Long reasons are cut in the audit. */
const isCutFrom = (whole: string, cut: string): boolean => whole === cut || (cut.endsWith('…') && whole.startsWith(cut.slice(0, -1)));

/** The events of an entry with their numbers. */
export const typesOf = ({ events }: AuditEntry): { seq: number; type: string }[] =>
  (events?.types ?? []).map((type, i) => ({ seq: events!.first + i, type }));
