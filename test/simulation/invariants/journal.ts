import { type JournalEvent, JournalRow } from '../../../lib/journal/journal.ts';
import type { Row } from '../../../lib/ports/table/table.ts';
import type { Committed } from '../watching.ts';
import { beginnings } from './anew.ts';
import type { Invariant } from './invariant.ts';
import { expectedOf, idsOf } from './nodes/published.ts';

/** The part of the journal that a row's events belong into, by the zone that the row had then. */
export function partOf({ key: { pk, sk }, body }: Row): string {
  const [kind, id = ''] = pk.split('#').map(decodeURIComponent);
  if (kind === 'zone' || kind === 'cluster') return id;
  const isOfZone =
    (kind === 'node' && (sk === 'node' || sk.startsWith('service#'))) || kind === 'silence' || kind === 'changes' || kind === 'client';
  return (isOfZone ? (body as { readonly zone?: string }).zone : undefined) ?? '-';
}

/** A row of the journal in a commit, and the number of the row that it follows; 0 for the first of its part. */
export type JournalStep = { readonly part: string; readonly row: JournalRow; readonly follows: number };

/** The row of the journal that a commit adds, if it adds one. */
export function journalStep(changes: readonly Committed[]): JournalStep | undefined {
  const of = (isEnd: boolean) => changes.find(({ after: { key } }) => key.pk.startsWith('journal#') && (key.sk === 'end') === isEnd);
  const added = of(false);
  if (!added) return undefined;
  const end = of(true)?.before?.body as { readonly n: number } | undefined;
  const part = decodeURIComponent(added.after.key.pk.slice('journal#'.length));
  return { part, row: JournalRow.parse(added.after.body), follows: end?.n ?? 0 };
}

type Awaited = { readonly part: string; readonly text: string };

/** Whoever was away finds in the journal what happened meanwhile, all of it and once. */
export const journal: Invariant = {
  name: 'the-journal-has-every-event-once',
  says: 'every event is in the journal of the zone that its row belonged to in the end, once, as it was committed and in the order of its row, and so is each client system whose row was committed; the rows of a zone are numbered without gaps and never go back in time',
  begin: ({ violated, world }) => {
    const awaited = new Map<string, Awaited>();
    const known = new Map<string, string>();
    const last = new Map<string, number>();
    const times = new Map<string, number>();
    const changed = new Set<string>();
    const begins = beginnings();
    const expect = ({ after }: Committed): void => {
      const part = partOf(after);
      for (const id of idsOf(after, begins(after))) {
        known.delete(id);
        last.delete(id.slice(0, id.lastIndexOf('#')));
      }
      for (const event of expectedOf(after)) awaited.set(event.id, { part, text: JSON.stringify(event) });
      if (after.key.sk === 'client') changed.add(`${decodeURIComponent(after.key.pk.slice('client#'.length))} in ${part}`);
    };
    const takeEvent = (place: string, part: string, { id, type, subject, time, eventseq, data }: JournalEvent): void => {
      const expected = awaited.get(id);
      if (known.has(id)) violated(`${id} is in ${known.get(id)} and in ${place}`);
      else if (expected?.part !== part) violated(`${id} is in ${place} and belongs to ${expected?.part}`);
      else if (expected.text !== JSON.stringify({ id, type, subject, time, eventseq, data })) violated(`${id} is not as it was committed`);
      if (eventseq <= (last.get(subject) ?? 0)) violated(`${id} in ${place} comes after event ${last.get(subject)}`);
      last.set(subject, eventseq);
      known.set(id, place);
      awaited.delete(id);
    };
    const take = ({ part, row: { n, at, events, systems }, follows }: JournalStep): void => {
      const place = `row ${n} of ${part}`;
      if (n !== follows + 1) violated(`${place} follows row ${follows}`);
      if (at < (times.get(part) ?? 0)) violated(`${place} is from before the row that it follows`);
      times.set(part, at);
      for (const event of events) takeEvent(place, part, event);
      for (const system of systems) changed.delete(`${system} in ${part}`);
    };
    return {
      heedsMarks: true,
      committed: (changes) => {
        for (const change of changes) expect(change);
        const step = journalStep(changes);
        if (step) take(step);
      },
      // The version before publishes and writes no journal.
      unrest: () =>
        world().cluster.isDeployed
          ? []
          : [
              ...[...awaited.keys()].map((id) => `${id} is not in the journal`),
              ...[...changed].map((one) => `${one} is not in the journal`),
            ],
    };
  },
};
