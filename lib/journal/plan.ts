import type { Fingerprint } from '../core/ids.ts';
import type { EpochMs } from '../core/time.ts';
import type { JournalEnd, JournalEvent, JournalRow } from './journal.ts';

/** An event that goes into the journal, its size in bytes, and the client system whose row concluded it, if one did. */
export type Entry = { readonly event: JournalEvent; readonly bytes: number; readonly system?: Fingerprint | undefined };

/** What one commit of a row adds to a part: its events, in their order, and the client system whose row it is. */
export type Addition<E extends Entry> = {
  readonly subject: string;
  readonly part: string;
  readonly entries: readonly E[];
  readonly system?: Fingerprint | undefined;
};

/** What becomes one row of a part. `systems` are those whose commits had no events. */
export type Batch<E extends Entry> = { readonly part: string; readonly entries: readonly E[]; readonly systems: readonly Fingerprint[] };

/** The most that one row takes: events, and bytes unless a single event has more. */
export type RowLimits = { readonly eventsMax: number; readonly bytesMax: number };

/** A fingerprint in a list takes 64 characters and little more. */
const systemBytes = 70;

type Open<E extends Entry> = { readonly entries: E[]; readonly systems: Set<Fingerprint>; bytes: number };

/**
 * Cuts additions into batches of one part each, to be written one after the other. The events of a row stay in their
 * order, also where it moves to another zone on the way. An event that comes twice is taken once.
 */
export function batchesOf<E extends Entry>(additions: readonly Addition<E>[], { eventsMax, bytesMax }: RowLimits): Batch<E>[] {
  const done: Batch<E>[] = [];
  const open = new Map<string, Open<E>>();
  const partOf = new Map<string, string>();
  const taken = new Set<string>();
  const close = (part: string): void => {
    const batch = open.get(part);
    if (batch) done.push({ part, entries: batch.entries, systems: [...batch.systems] });
    open.delete(part);
  };
  const roomFor = (part: string, bytes: number, events: number): Open<E> => {
    const now = open.get(part);
    if (now && (now.entries.length + events > eventsMax || now.bytes + bytes > bytesMax)) close(part);
    const batch = open.get(part) ?? { entries: [], systems: new Set(), bytes: 0 };
    open.set(part, batch);
    batch.bytes += bytes;
    return batch;
  };
  for (const { subject, part, entries, system } of additions) {
    const before = partOf.get(subject);
    if (before !== undefined && before !== part) close(before);
    partOf.set(subject, part);
    for (const entry of entries.filter(({ event }) => !taken.has(event.id))) {
      taken.add(entry.event.id);
      roomFor(part, entry.bytes + (system === undefined ? 0 : systemBytes), 1).entries.push(entry);
    }
    if (system !== undefined && entries.length === 0) roomFor(part, systemBytes, 0).systems.add(system);
  }
  for (const part of [...open.keys()]) close(part);
  return done;
}

/**
 * The row that a batch becomes behind the end of its part, without the events that are in the journal already;
 * undefined when nothing is left.
 */
export function rowAfter<E extends Entry>(
  end: JournalEnd | undefined,
  { entries, systems }: Pick<Batch<E>, 'entries' | 'systems'>,
  now: EpochMs,
): JournalRow | undefined {
  if (entries.length === 0 && systems.length === 0) return undefined;
  const changed = new Set([...entries.flatMap(({ system }) => system ?? []), ...systems]);
  return {
    n: (end?.n ?? 0) + 1,
    // The clock of another environment may be ahead.
    at: end && end.at > now ? end.at : now,
    events: entries.map(({ event }) => event),
    systems: [...changed],
  };
}
