import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { andNot } from '../../../../lib/search/segment/algebra.ts';
import { ordinalsOf } from '../../../../lib/search/segment/bitmap.ts';
import { buildSegment } from '../../../../lib/search/segment/build.ts';
import { evaluate } from '../../../../lib/search/segment/evaluate.ts';
import { idAt } from '../../../../lib/search/segment/ids.ts';
import { SearchIndex, type Snapshot } from '../../../../lib/search/segment/search-index.ts';
import type { Document } from '../../../../lib/search/segment/segment.ts';
import { documentsIn } from '../../../../tools/support/search/documents-in.ts';
import { passes } from '../../../../tools/support/search/naive.ts';
import { aDocument, anId, aQuery } from '../../../support/search.ts';

type Change =
  | { readonly does: 'put'; readonly document: Document }
  | { readonly does: 'remove'; readonly id: string; readonly version: number }
  | { readonly does: 'add'; readonly documents: readonly Document[] }
  | { readonly does: 'seal' }
  | { readonly does: 'step'; readonly budget: number };

const aVersion = fc.integer({ min: 1, max: 12 });
const aChange: fc.Arbitrary<Change> = fc.oneof(
  { weight: 12, arbitrary: aDocument.map((document) => ({ does: 'put' as const, document })) },
  { weight: 4, arbitrary: fc.tuple(anId, aVersion).map(([id, version]) => ({ does: 'remove' as const, id, version })) },
  { weight: 1, arbitrary: fc.array(aDocument, { maxLength: 12 }).map((documents) => ({ does: 'add' as const, documents })) },
  { weight: 2, arbitrary: fc.constant({ does: 'seal' as const }) },
  { weight: 4, arbitrary: fc.integer({ min: 1, max: 30 }).map((budget) => ({ does: 'step' as const, budget })) },
);

/** What is known of each id: its newest version, and its document unless that version was removed. */
type Model = Map<string, { readonly version: number; readonly document?: Document }>;

function putIn(model: Model, document: Document): boolean {
  if (document.version <= (model.get(document.id)?.version ?? 0)) return false;
  model.set(document.id, { version: document.version, document });
  return true;
}

function removeFrom(model: Model, id: string, version: number): boolean {
  const known = model.get(id);
  if (known && (known.version > version || (known.version === version && !known.document))) return false;
  model.set(id, { version });
  return true;
}

function carryOut(index: SearchIndex, model: Model, change: Change): void {
  switch (change.does) {
    case 'put':
      expect(index.put(change.document)).toBe(putIn(model, change.document));
      return;
    case 'remove':
      expect(index.remove(change.id, change.version)).toBe(removeFrom(model, change.id, change.version));
      return;
    case 'add': {
      // A segment that was stored is as new as what is known, or older: the same version is the same document.
      const segment = buildSegment(change.documents.filter(({ id, version }) => model.get(id)?.version !== version));
      for (const one of change.documents.toSorted((a, b) => b.version - a.version))
        if (model.get(one.id)?.version !== one.version) putIn(model, one);
      index.add(segment);
      return;
    }
    case 'seal':
      index.seal();
      return;
    case 'step':
      index.step(change.budget);
  }
}

const found = (snapshot: Snapshot, query: Parameters<typeof evaluate>[1]): string[] =>
  snapshot
    .flatMap(({ segment, deleted }) =>
      [...ordinalsOf(andNot(evaluate(segment, query).hits, deleted))].map((ordinal) => idAt(segment.ids, ordinal)),
    )
    .sort();

const expected = (model: Model, query: Parameters<typeof evaluate>[1]): string[] =>
  [...model.values()].flatMap(({ document }) => (document && passes(document, query) ? document.id : [])).sort();

/** A document whose values are each there once, in order: so columns have them. */
/* A name that a document says twice is one name of it. */
const comparable = ({ names, keywords, ...document }: Document): object => ({
  ...document,
  names: [...new Set(names)].sort(),
  keywords: new Map([...keywords].flatMap(([field, values]) => (values.length > 0 ? [[field, [...new Set(values)].sort()]] : []))),
});

describe('an index', () => {
  it('answers as a filter over the newest versions does, after any changes', () => {
    fc.assert(
      fc.property(fc.array(aChange, { maxLength: 120, size: 'max' }), aQuery, fc.integer({ min: 2, max: 6 }), (changes, query, sealAt) => {
        const index = new SearchIndex({ sealAt });
        const model: Model = new Map();
        for (const change of changes) carryOut(index, model, change);
        expect(found(index.snapshot(), query)).toEqual(expected(model, query));
        expect(index.size).toBe([...model.values()].filter(({ document }) => document).length);
        while (index.step(1_000));
        expect(found(index.snapshot(), query)).toEqual(expected(model, query));
      }),
      { numRuns: 300 },
    );
  });

  it('holds each document as it was put in last', () => {
    fc.assert(
      fc.property(fc.array(aChange, { maxLength: 60 }), (changes) => {
        const index = new SearchIndex({ sealAt: 4 });
        const model: Model = new Map();
        for (const change of changes) carryOut(index, model, change);
        while (index.step(1_000));
        const known = [...model.values()].flatMap(({ document }) => document ?? []).sort((a, b) => (a.id < b.id ? -1 : 1));
        expect(documentsIn(index.snapshot()).map(comparable)).toEqual(known.map(comparable));
      }),
      { numRuns: 150 },
    );
  });

  it('keeps a snapshot as it was', () => {
    fc.assert(
      fc.property(fc.array(aChange, { maxLength: 60 }), fc.array(aChange, { maxLength: 60 }), aQuery, (before, after, query) => {
        const index = new SearchIndex({ sealAt: 4 });
        const model: Model = new Map();
        for (const change of before) carryOut(index, model, change);
        const snapshot = index.snapshot();
        const then = expected(model, query);
        for (const change of after) carryOut(index, model, change);
        expect(found(snapshot, query)).toEqual(then);
      }),
      { numRuns: 150 },
    );
  });
});
