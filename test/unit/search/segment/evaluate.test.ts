import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ordinalsOf } from '../../../../lib/search/segment/bitmap.ts';
import { buildSegment } from '../../../../lib/search/segment/build.ts';
import { evaluate, nothingBeside } from '../../../../lib/search/segment/evaluate.ts';
import { idAt } from '../../../../lib/search/segment/ids.ts';
import { passes } from '../../../../tools/support/search/naive.ts';
import { aDocument, aQuery } from '../../../support/search.ts';

describe('a query on a segment', () => {
  it('finds the documents that pass it one by one', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(aDocument, { selector: ({ id }) => id, maxLength: 40 }),
        aQuery,
        fc.boolean(),
        (documents, query, folded) => {
          const folds = (field: string): boolean => folded && field === 'tag';
          const segment = buildSegment(documents);
          const { hits } = evaluate(segment, query, { ...nothingBeside, folds });
          const found = [...ordinalsOf(hits)].map((ordinal) => idAt(segment.ids, ordinal));
          expect(found).toEqual(
            documents
              .filter((one) => passes(one, query, folds))
              .map(({ id }) => id)
              .sort(),
          );
          expect(hits.count).toBe(found.length);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
