import { type Client, clientRef } from '../../lib/clients/client.ts';
import { write } from '../../lib/core/decision.ts';
import { type Fingerprint, ZoneName } from '../../lib/core/ids.ts';
import { recorder } from '../../lib/journal/changes.ts';
import { type KeptObject, memoryObjects } from '../../lib/ports/objects/memory.ts';
import type { Objects } from '../../lib/ports/objects/objects.ts';
import type { Row } from '../../lib/ports/table/table.ts';
import { applyPlan } from '../../lib/runtime/apply-plan.ts';
import { contentOf } from '../../lib/runtime/content.ts';
import { onFeed } from '../../lib/runtime/on-feed.ts';
import { readRow } from '../../lib/runtime/read.ts';
import type { Shell } from '../../lib/runtime/shell.ts';
import { fleetOf } from '../../lib/search/reads/fleet.ts';
import type { Document } from '../../lib/search/segment/segment.ts';
import { planZone } from '../../lib/zones/create.ts';
import { aShell, type TestShell } from '../../tools/support/a-shell.ts';
import { aClient } from '../../tools/support/builders.ts';
import { documentsIn } from '../../tools/support/search/documents-in.ts';

/** Client systems of some zones on a table of their own, without any call: rows, and journals that name them. */
export type IndexedFleet = {
  readonly shell: TestShell;
  /** What is stored, by name: to look at, and to damage. */
  readonly kept: Map<string, KeptObject>;
  readonly objects: Objects;
  /** Stores a client system as it is from now on. */
  readonly put: (fp: string, more?: Partial<Extract<Client, { standing: 'accepted' }>>) => Promise<void>;
  readonly remove: (fp: string) => Promise<void>;
  /** Publishes what was committed since the last time. */
  readonly publish: () => Promise<void>;
  /** Another environment, with another store if one is given, or with none. */
  readonly environment: (given?: { readonly objects: Objects | undefined }) => Shell;
};

/** The zones of such a fleet. */
export const zonesOfFleet = ['east', 'west'] as const;

/** Makes one without any client system, at noon; or one on the rows and with what is stored of another. */
export async function anIndexedFleet({
  rows,
  kept = new Map(),
}: Partial<Pick<IndexedFleet, 'kept'> & { rows: ReadonlyMap<string, Row> }> = {}): Promise<IndexedFleet> {
  const shell = aShell({}, rows);
  const objects = memoryObjects(shell.now, kept);
  for (const [n, zone] of rows ? [] : zonesOfFleet.entries())
    await applyPlan(shell, { id: `zone ${zone}` }, async () => planZone(ZoneName.parse(zone), n + 1, shell.now(), 1_024));
  let published = 0;
  const commit = async (fp: string, decision: Parameters<typeof contentOf<Client>>[2]): Promise<void> => {
    const ref = clientRef(fp as Fingerprint);
    const row = await readRow(shell, ref);
    const put = contentOf(ref, row, decision, { by: 'a test', at: shell.now(), exact: true });
    if (put) await shell.table.commit([{ put, readRev: row?.rev ?? 0 }]);
  };
  return {
    ...{ shell, kept, objects },
    put: (fp, more) => commit(fp, write(aClient({ fp: fp as Fingerprint, zone: ZoneName.parse('east'), ...more }), 'put')),
    remove: (fp) => commit(fp, { does: 'remove', last: aClient({ fp: fp as Fingerprint }), events: [], because: 'removed' }),
    publish: async () => {
      const { feed } = shell.table;
      while (published < feed.length) {
        const images = feed.slice(published, published + 100);
        published += images.length;
        await onFeed(recorder).handle(images, shell);
      }
    },
    environment: (given = { objects }) => {
      const { objects: _, ...rest } = shell;
      return { ...rest, caches: new Map(), ...(given.objects && { objects: given.objects }) };
    },
  };
}

/** What an environment would find in each part, as it can be compared. */
export async function foundBy(shell: Shell): Promise<Readonly<Record<string, readonly Document[]>>> {
  const { parts } = await fleetOf(shell);
  const all = [...parts].map(([part, index]) => [part, documentsIn(index.snapshot())] as const);
  return Object.fromEntries(all.filter(([, documents]) => documents.length > 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}
