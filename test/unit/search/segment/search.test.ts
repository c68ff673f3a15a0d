import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Query } from '../../../../lib/search/language/query.ts';
import { listOf } from '../../../../lib/search/segment/bitmap.ts';
import { nothingBeside } from '../../../../lib/search/segment/evaluate.ts';
import { idAt } from '../../../../lib/search/segment/ids.ts';
import { byId, comparePositions, type Order, type Position } from '../../../../lib/search/segment/page.ts';
import { type Answer, search } from '../../../../lib/search/segment/search.ts';
import { SearchIndex } from '../../../../lib/search/segment/search-index.ts';
import type { Document, Segment } from '../../../../lib/search/segment/segment.ts';
import { passes } from '../../../../tools/support/search/naive.ts';
import { aDocument, aQuery } from '../../../support/search.ts';

const all: Query = { op: 'all' };
const tagged = (tag: string): Query => ({ op: 'term', field: 'tag', test: { is: 'glob', any: [tag] }, at: 1, text: `tag:${tag}` });
const anOrder: fc.Arbitrary<Order> = fc.record({ by: fc.constantFrom(byId, 'name', 'cpu'), down: fc.boolean() });

const idOf = (n: number): string => n.toString(16).padStart(64, '0');
const aSystem = (n: number, given: Partial<Document> = {}): Document => ({
  id: idOf(n),
  version: 1,
  names: [`web${n}.acme.org`],
  keywords: new Map(),
  numbers: new Map(),
  ...given,
});

function indexOf(documents: readonly Document[], sealAt: number): SearchIndex {
  const index = new SearchIndex({ sealAt });
  for (const document of documents) index.put(document);
  return index;
}

function positionOf({ id, names, numbers }: Document, { by }: Order): Position {
  const key = by === byId ? undefined : by === 'name' ? names[0] : numbers.get(by);
  return key === undefined ? { id } : { id, key };
}

/** Every page, one after another; `between` runs before each of them. */
function pages(index: SearchIndex, query: Query, order: Order, limit: number, between: () => void = () => {}): string[] {
  const ids: string[] = [];
  let answer: Answer | undefined;
  do {
    between();
    answer = search(index.snapshot(), { query, order, limit, after: answer?.next });
    ids.push(...answer.rows.map(({ position }) => position.id));
  } while (answer.next);
  return ids;
}

const documentsOf = fc.uniqueArray(aDocument, { selector: ({ id }) => id, maxLength: 40, size: 'max' });

describe('pages of an answer', () => {
  it('have every document that passes, in the order that was asked for', () => {
    fc.assert(
      fc.property(
        documentsOf,
        aQuery,
        anOrder,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 3, max: 20 }),
        (documents, query, order, limit, sealAt) => {
          const passing = documents.filter((one) => passes(one, query)).map((one) => positionOf(one, order));
          const sorted = passing.sort((a, b) => comparePositions(order, a, b)).map(({ id }) => id);
          expect(pages(indexOf(documents, sealAt), query, order, limit)).toEqual(sorted);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('neither repeat nor leave out a document that stays, while others come and go', () => {
    fc.assert(
      fc.property(documentsOf, documentsOf, anOrder, fc.integer({ min: 1, max: 5 }), (documents, changed, order, limit) => {
        const index = indexOf(documents, 3);
        const left = [...changed];
        const ids = pages(index, all, order, limit, () => {
          const change = left.pop();
          if (change && change.version % 2 === 0) index.put({ ...change, version: 20 });
          else if (change) index.remove(change.id, 20);
          index.step(20);
        });
        const staying = documents.map(({ id }) => id).filter((id) => !changed.some((one) => one.id === id));
        expect(ids.filter((id) => staying.includes(id)).sort()).toEqual(staying.sort());
      }),
      { numRuns: 200 },
    );
  });

  it.each(['é*[a-c]', 'é*a', 'é?*', '[é.]*a', '[à-ü].?'])('have names beyond ASCII: %s', (glob) => {
    const query: Query = { op: 'term', field: 'name', test: { is: 'glob', any: [glob] }, at: 0, text: glob };
    const index = indexOf([aSystem(1, { names: ['é.a'] }), aSystem(2, { names: ['e.a'] })], 9);
    expect(pages(index, query, { by: byId, down: false }, 9)).toEqual([idOf(1)]);
  });

  it('go along names and numbers when many documents pass', () => {
    const many = Array.from({ length: 700 }, (_, n) =>
      aSystem(n, {
        names: n % 50 === 0 ? [] : [`web${n % 90}.acme.org`, `minion-${n}`],
        numbers: n % 40 === 0 ? new Map() : new Map([['seen', (n * 37) % 300]]),
      }),
    );
    const index = indexOf(many, 2_000);
    for (const order of ['name', 'seen'].flatMap((by) => [true, false].map((down): Order => ({ by, down })))) {
      const sorted = many.map((one) => positionOf(one, order)).sort((a, b) => comparePositions(order, a, b));
      expect(pages(index, all, order, 60)).toEqual(sorted.map(({ id }) => id));
    }
  });
});

describe('an answer', () => {
  const index = indexOf(
    [1, 2, 3, 4].map((n) => aSystem(n, { keywords: new Map([['tag', n % 2 === 0 ? ['db', 'even'] : ['db']]]) })),
    3,
  );
  const order: Order = { by: 'name', down: false };

  it('counts all documents, and the most frequent values of a field among them', () => {
    index.remove(idOf(3), 2);
    const answer = search(index.snapshot(), {
      query: all,
      order,
      limit: 1,
      facets: [
        { field: 'tag', top: 1 },
        { field: 'none', top: 9 },
      ],
    });
    expect(answer).toMatchObject({ total: 3, rows: [{ name: 'web1.acme.org' }] });
    expect(answer.facets).toEqual([
      { field: 'tag', values: [{ value: 'db', count: 3 }], distinct: 2 },
      { field: 'none', values: [], distinct: 0 },
    ]);
  });

  it('tells how each term was evaluated, the cheapest first and what was not needed not at all', () => {
    const name: Query = { op: 'term', field: 'name', test: { is: 'glob', any: ['*eb2*'] }, at: 8, text: '*eb2*' };
    const planOf = (query: Query) => search(index.snapshot(), { query, order, limit: 9 }).plan;
    expect(planOf({ op: 'and', of: [name, tagged('even')] })).toEqual([
      { at: 1, text: 'tag:even', way: 'exact', hits: 2 },
      expect.objectContaining({ text: '*eb2*', hits: 1 }),
    ]);
    expect(planOf({ op: 'and', of: [name, tagged('none')] })).toEqual([
      { at: 1, text: 'tag:none', way: 'exact', hits: 0 },
      { at: 8, text: '*eb2*', way: 'not needed', hits: 0 },
    ]);
  });

  it('takes what its caller knows of fields that are in no segment', () => {
    const isNew = (segment: Segment) =>
      listOf(
        segment.size,
        Uint32Array.from(Array(segment.size).keys()).filter((n) => idAt(segment.ids, n) === idOf(4)),
      );
    const besideOf = (segment: Segment) => ({
      ...nothingBeside,
      volatile: (field: string) => (field === 'status' ? isNew(segment) : undefined),
      values: (field: string) => (field === 'status' ? new Map([['new', isNew(segment)]]) : undefined),
    });
    const query: Query = { op: 'term', field: 'status', test: { is: 'glob', any: ['new'] }, at: 1, text: 'status:new' };
    const answer = search(index.snapshot(), { query, order, limit: 9, besideOf, facets: [{ field: 'status', top: 2 }] });
    expect(answer.rows.map(({ position }) => position.id)).toEqual([idOf(4)]);
    expect(answer.plan).toEqual([{ at: 1, text: 'status:new', way: 'given', hits: 1 }]);
    expect(answer.facets).toEqual([{ field: 'status', values: [{ value: 'new', count: 1 }], distinct: 1 }]);
  });
});
