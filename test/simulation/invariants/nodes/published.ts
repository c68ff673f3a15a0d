import type { Envelope } from '../../../../lib/ports/bus/bus.ts';
import { ownerOf } from '../../../../lib/ports/table/keys.ts';
import type { Row } from '../../../../lib/ports/table/table.ts';
import { beginnings } from '../anew.ts';
import type { Invariant } from '../invariant.ts';

type Heard = Pick<Envelope, 'id' | 'type' | 'subject' | 'time' | 'eventseq' | 'data'>;
type Said = Pick<Envelope, 'because' | 'who'>;

/** The ids of the first so many events of a row. */
export function idsOf({ key }: Row, count: number): string[] {
  const { noun, id } = ownerOf(key);
  return Array.from({ length: count }, (_, n) => `${noun}/${id}#${n + 1}`);
}

/** What a subscriber must hear of a committed row. */
export function expectedOf({ key, at, events }: Row): Heard[] {
  if (events.length === 0) return [];
  const { noun, id } = ownerOf(key);
  const subject = `${noun}/${id}`;
  const time = new Date(at).toISOString();
  return events.map(({ seq, type, data }) => ({ id: `${subject}#${seq}`, type, subject, time, eventseq: seq, data }));
}

const saidIn = ({ because, actor }: Row): Said => ({ because, ...(actor && { who: actor.who }) });

/** Every event goes out, as it was committed, and nothing else does. */
export const published: Invariant = {
  name: 'events-reach-the-subscriber',
  says: 'every committed event is heard in the end, as it was committed; repeats are the same byte for byte; nothing else is heard',
  begin: ({ violated, world }) => {
    const committed = new Map<string, string>();
    const said = new Map<string, string>();
    const texts = new Map<string, string>();
    const missing = new Set<string>();
    const begins = beginnings();
    return {
      heedsMarks: true,
      committed: (changes) => {
        for (const { after } of changes) {
          for (const id of idsOf(after, begins(after))) {
            committed.delete(id);
            texts.delete(id);
          }
          for (const event of expectedOf(after)) {
            if (committed.has(event.id)) violated(`${event.id} was committed twice`);
            committed.set(event.id, JSON.stringify(event));
            said.set(event.id, JSON.stringify(saidIn(after)));
            missing.add(event.id);
          }
        }
      },
      heard: ({ because, who, ...envelope }) => {
        const { id, type, subject, time, eventseq, data } = envelope;
        missing.delete(id);
        const reason = JSON.stringify({ because, ...(who !== undefined && { who }) } satisfies Said);
        // The version before says no reason.
        if (reason !== said.get(id) && !world().cluster.isDeployed) violated(`${id} was heard with ${reason}, not ${said.get(id)}`);
        const text = JSON.stringify(envelope);
        const first = texts.get(id);
        if (first === text) return;
        if (first !== undefined) violated(`${id} was heard as\n  ${first}\nand then as\n  ${text}`);
        texts.set(id, text);
        const expected = committed.get(id);
        const heard = JSON.stringify({ id, type, subject, time, eventseq, data } satisfies Heard);
        if (expected !== heard) violated(`${id} was committed as\n  ${expected}\nand heard as\n  ${heard}`);
      },
      unrest: () => [...missing].map((id) => `${id} was never heard`),
    };
  },
};
