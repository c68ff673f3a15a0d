import type { AdminCall } from '../../access/verify-admin.ts';
import { parsedQuery } from '../../clients/handlers/matching.ts';
import { cursorAt, positionOf } from '../../runtime/cursors.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { fieldNamed } from '../../search/language/fields.ts';
import { print } from '../../search/language/print.ts';
import { noneOf } from '../../search/segment/bitmap.ts';
import { buildSegment } from '../../search/segment/build.ts';
import { nothingBeside } from '../../search/segment/evaluate.ts';
import { search } from '../../search/segment/search.ts';
import { kindsAsked } from './asked.ts';
import { thingsSeen } from './reads.ts';
import { documentId, documentOf, viewOf } from './things.ts';

/**
 * Things of the kinds that a query names, in the order of their names. There are thousands of them and not millions:
 * each call reads them anew.
 */
export async function findThings({ query: { q, cursor, limit }, caller }: AdminCall<'findThings'>, shell: Shell): Promise<Answer> {
  const query = parsedQuery(q, shell.now(), '/q');
  const kinds = kindsAsked(query);
  const signature = `things ${q}`;
  const position = await positionOf(shell, cursor, signature);
  const things = new Map((await thingsSeen(shell, kinds, caller)).map((thing) => [documentId(thing), thing]));
  const segment = buildSegment([...things.values()].map(documentOf));
  const { total, rows, next } = search([{ segment, deleted: noneOf(segment.size) }], {
    query,
    order: { by: 'name', down: false },
    limit,
    after: position === undefined ? undefined : JSON.parse(position),
    besideOf: () => ({ ...nothingBeside, folds: (field) => fieldNamed(field)?.field.folds ?? false }),
  });
  return {
    status: 200,
    body: {
      items: rows.flatMap(({ position: { id } }) => {
        const thing = things.get(id);
        return thing ? [viewOf(thing)] : [];
      }),
      ...(next && limit > 0 && { next: await cursorAt(shell, JSON.stringify(next), signature) }),
      total,
      query: print(query),
    },
  };
}
