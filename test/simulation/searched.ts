import type { AdminCaller } from '../../lib/access/verify-admin.ts';
import type { Client, ClientAlias } from '../../lib/clients/client.ts';
import { matching } from '../../lib/clients/handlers/matching.ts';
import { metadataOf, pageRef, storedUnder } from '../../lib/clients/metadata/reads.ts';
import { isSame } from '../../lib/core/decision.ts';
import { ZoneName } from '../../lib/core/ids.ts';
import { memoryObjects } from '../../lib/ports/objects/memory.ts';
import type { Objects } from '../../lib/ports/objects/objects.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import { nameOf, type Row } from '../../lib/ports/table/table.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { type Fleet, fleetOf } from '../../lib/search/reads/fleet.ts';
import { partOfNoZone } from '../../lib/search/reads/taken.ts';
import { byId } from '../../lib/search/segment/page.ts';
import type { Document } from '../../lib/search/segment/segment.ts';
import { documentOf, placing } from '../../lib/search/systems/document.ts';
import { storeIndex } from '../../lib/search/tick.ts';
import { aShell } from '../../tools/support/a-shell.ts';
import { documentsIn } from '../../tools/support/search/documents-in.ts';
import type { Judge } from './invariants/index.ts';
import type { Kernel } from './kernel.ts';
import type { World } from './world/world.ts';

/** A reader of searches, who takes no step and draws nothing. */
export type Searcher = {
  /** Brings what is searched up to date, as a search does, and stores it; now and then that is broken off. */
  readonly follow: () => Promise<void>;
  /** Looks at what is found when everything is at rest. */
  readonly look: (judge: Judge) => Promise<void>;
};

/**
 * Somebody who searches now and then in an environment of their own, which lives as long as the history. Another
 * environment stores its index each time; it is killed at every third time, and the next one begins with what was
 * stored before.
 */
export function searcherIn({ cluster }: World, kernel: Kernel): Searcher {
  const objects = memoryObjects(() => kernel.now);
  const anEnvironment = (of?: Objects): Shell => {
    const { objects: _, ...shell } = aShell();
    return { ...shell, table: cluster.store.calm, now: () => kernel.now, ...(of && { objects: of }) };
  };
  const own = anEnvironment();
  let storing = anEnvironment(objects);
  let stores = 0;
  return {
    follow: async () => {
      await fleetOf(own);
      await fleetOf(storing);
      stores += 1;
      if (stores % 3 > 0) return storeIndex(storing);
      await brokenOff(storeIndex({ ...storing, objects: { ...objects, replace: () => Promise.reject(new Killed()) } }));
      storing = anEnvironment(objects);
    },
    look: async (judge) => {
      const expected = expectedOf(cluster.store.rows.rows, kernel.now);
      const looking = { judge, now: kernel.now };
      // The version before publishes and writes no journal.
      if (!cluster.isDeployed) {
        compare(await fleetOf(own), expected, 'what was followed', looking);
        compare(await fleetOf(storing), expected, 'what was stored and followed', looking);
        compare(await fleetOf(anEnvironment(objects)), expected, 'what is stored and followed', looking);
      }
      const anew = anEnvironment();
      compare(await fleetOf(anew), expected, 'what was read anew', looking);
      await lookLimited(anew, expected, judge);
    },
  };
}

/** The environment ended before the index was replaced. */
class Killed extends Error {
  override readonly name = 'Killed';
}

async function brokenOff(store: Promise<void>): Promise<void> {
  try {
    await store;
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
  }
}

/** The documents of each part by the rows themselves, in the order of their ids. */
type Expected = ReadonlyMap<string, readonly Document[]>;
type Looking = { readonly judge: Judge; readonly now: number };

function expectedOf(rows: ReadonlyMap<string, Row>, now: number): Expected {
  const documents = [...rows.values()].flatMap((row) => {
    if (row.key.sk !== 'client' || isOver(row.expiresAt, now)) return [];
    const body = row.body as Client | ClientAlias;
    return body.standing === 'alias' ? [] : [{ part: body.zone ?? partOfNoZone, document: documentOf(body, row, metadataIn(rows, body)) }];
  });
  return new Map(
    [...Map.groupBy(documents, ({ part }) => part)].map(([part, some]) => [
      part,
      some.map(({ document }) => document).sort((a, b) => (a.id < b.id ? -1 : 1)),
    ]),
  );
}

/** The documents of a client system, by kind: those that are put as a whole. */
function metadataIn(rows: ReadonlyMap<string, Row>, client: Client): ReadonlyMap<string, unknown> {
  const kinds = Object.entries(metadataOf(client)?.kinds ?? {});
  return new Map(
    kinds.flatMap(([kind, { pages }]) => {
      const row = rows.get(nameOf(keyOf(pageRef(storedUnder(client), kind, 0))));
      return pages || !row || row.gone ? [] : [[kind, JSON.parse((row.body as { text: string }).text)]];
    }),
  );
}

const isOver = (endsAt: number | undefined, now: number): boolean => endsAt !== undefined && endsAt <= now;

function compare({ parts }: Fleet, expected: Expected, which: string, { judge, now }: Looking): void {
  for (const part of new Set([...parts.keys(), ...expected.keys()])) {
    const all = documentsIn(parts.get(part)?.snapshot() ?? []);
    const found = new Map(all.filter(({ numbers }) => !isOver(numbers.get(placing.ends), now)).map((one) => [one.id, plain(one)]));
    const known = new Map((expected.get(part) ?? []).map((one) => [one.id, plain(one)]));
    for (const id of new Set([...found.keys(), ...known.keys()]))
      if (!isSame(found.get(id), known.get(id)))
        judge.violated(
          'a-search-finds-what-the-rows-say',
          `${id} in ${part} is ${JSON.stringify(found.get(id))} by ${which}, and ${JSON.stringify(known.get(id))} by its row`,
        );
  }
}

/** A document as it is compared, with its values in order. */
const plain = ({ names, keywords, numbers, ...document }: Document): object => ({
  ...document,
  names: [...names].sort(),
  keywords: Object.fromEntries([...keywords].sort().map(([field, values]) => [field, [...values].sort()])),
  numbers: Object.fromEntries([...numbers].sort()),
});

/** Whoever is limited to a zone finds those of that zone, and counts no others. */
async function lookLimited(shell: Shell, expected: Expected, judge: Judge): Promise<void> {
  for (const [part, { length }] of expected) {
    if (part === partOfNoZone) continue;
    const caller: AdminCaller = {
      ...{ who: 'admin', source: '', name: 'limited', rights: {}, makes: { who: 'limited', keys: [] } },
      zones: [ZoneName.parse(part)],
    };
    const wanted = { query: { op: 'all' }, order: { by: byId, down: false }, limit: 0, facets: [{ field: 'zone', top: 20 }] } as const;
    const { total, facets } = await matching(shell, await fleetOf(shell), caller, wanted);
    if (total !== length)
      judge.violated('a-search-counts-no-hidden-zone', `whoever sees ${part} counts ${total} client systems, and it has ${length}`);
    for (const { value } of facets.flatMap(({ values }) => values))
      if (value !== part) judge.violated('a-search-counts-no-hidden-zone', `whoever sees ${part} is shown client systems of ${value}`);
  }
}
