import type * as z from 'zod';
import { published } from '../../../events/catalogue.ts';
import { Deployment } from '../../../lib/deployment/deployment.ts';
import { SweepRow } from '../../../lib/deployment/rows/sweep.ts';
import { Desired } from '../../../lib/nodes/desired/desired.ts';
import { Node } from '../../../lib/nodes/node.ts';
import { attributesOf } from '../../../lib/ports/table/attributes.ts';
import type { MemoryTable } from '../../../lib/ports/table/memory.ts';
import { itemSize } from '../../../lib/ports/table/size.ts';
import { nameOf, type Put, type Table } from '../../../lib/ports/table/table.ts';
import { Counts, Delta, MapPage, Members, ZoneHead } from '../../../lib/zones/zone.ts';
import { keeps, law } from '../model.ts';

/** What the rows of a zone hold, by the first word of their sort key. */
const schemas: Readonly<Record<string, z.ZodType>> = {
  node: Node,
  head: ZoneHead,
  map: MapPage,
  delta: Delta,
  members: Members,
  counts: Counts,
  desired: Desired,
  sweep: SweepRow,
  deployment: Deployment,
};

/** One row as a commit stores it, and the number of the last event it had. */
type Stored = Put & { readonly eventSeq: number };

const laws = [
  law<Stored>(
    'a row has only the fields that its schema names',
    ({ put }) => schemas[put.key.sk.split('#')[0]!]?.safeParse(put.body).success ?? true,
  ),
  law<Stored>(
    'event numbers have no holes and are never given twice',
    ({ put, eventSeq }) => put.eventSeq === eventSeq + put.events.length && put.events.every(({ seq }, n) => seq === eventSeq + n + 1),
  ),
  law<Stored>('events are as their catalogue says', ({ put }) =>
    put.events.every(({ seq: _seq, ...event }) => published[event.type as keyof typeof published].safeParse(event).success),
  ),
  law<Stored>(
    'a node of an ordinary name takes at most 1 KB',
    ({ put, readRev }) => put.key.sk !== 'node' || put.events.length > 0 || itemSize(attributesOf(put, readRev + 1)) <= 1_024,
  ),
];

/** The same table, whose every commit must keep the laws of rows. */
export const keepingRows = (table: MemoryTable): Pick<Table, 'commit'> => ({
  commit: async (changes) => {
    const before = new Map(table.rows);
    await table.commit(changes);
    for (const change of changes)
      if ('put' in change) keeps(laws, { ...change, eventSeq: before.get(nameOf(change.put.key))?.eventSeq ?? 0 });
  },
});
