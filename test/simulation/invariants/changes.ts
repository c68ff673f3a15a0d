import type { Answered } from '../watching.ts';
import { readerName } from '../world/reader.ts';
import type { Invariant } from './invariant.ts';
import { journalStep } from './journal.ts';

type Page = { readonly items: readonly { readonly id: string }[]; readonly next: string };
/** A reader that goes on with its cursor: the newest, how many events it was behind in each part, and how far it is. */
type Chain = { readonly next: string; readonly begins: ReadonlyMap<string, number>; readonly read: Map<string, number> };

/** Whoever goes on with a cursor has every event once. */
export const changes: Invariant = {
  name: 'a-page-of-changes-neither-repeats-nor-loses',
  says: 'whoever goes on with the cursor of each answer has every event since then from the journal, once, and those of each zone in its order',
  begin: ({ violated, world }) => {
    /** The events of each part, and the place of each event. */
    const events = new Map<string, string[]>();
    const places = new Map<string, { readonly part: string; readonly at: number }>();
    let chain: Chain | undefined;
    const lengths = (): Map<string, number> => new Map([...events].map(([part, ids]) => [part, ids.length]));
    const take = ({ begins, read }: Chain, id: string): void => {
      const place = places.get(id);
      if (!place) violated(`${id} was read and is not in the journal`);
      const { part, at } = place ?? { part: 'no zone', at: 0 };
      const last = read.get(part);
      const isNext = last === undefined ? at <= (begins.get(part) ?? 0) : at === last + 1;
      if (!isNext) violated(`${id} is event ${at} of ${part}, and was read after ${last ?? 'none'}`);
      read.set(part, at);
    };
    return {
      heedsMarks: true,
      committed: (committed) => {
        const step = journalStep(committed);
        if (!step) return;
        const ids = events.get(step.part) ?? [];
        events.set(step.part, ids);
        for (const { id } of step.row.events) {
          places.set(id, { part: step.part, at: ids.length });
          ids.push(id);
        }
      },
      answered: ({ line, path, query, status, body }: Answered) => {
        if (line !== readerName || path !== '/api/v1/changes' || status !== 200) return;
        const page = JSON.parse(body) as Page;
        const after = new URLSearchParams(query).get('after');
        const goesOn = chain !== undefined && after === chain.next;
        const of: Chain = goesOn ? { ...chain!, next: page.next } : { next: page.next, begins: lengths(), read: new Map() };
        for (const { id } of page.items) take(of, id);
        chain = of;
      },
      unrest: () => {
        const { begins, read } = chain ?? {};
        if (!begins || world().cluster.isDeployed) return [];
        return [...events].flatMap(([part, ids]) => {
          const isRead = (read!.get(part) ?? (begins.get(part) ?? 0) - 1) >= ids.length - 1;
          return isRead ? [] : [`the reader has not read event ${ids.length - 1} of ${part}`];
        });
      },
    };
  },
};
