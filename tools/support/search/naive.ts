import { readAddress } from '../../../lib/core/address.ts';
import { globMatcher } from '../../../lib/search/language/glob.ts';
import type { Query, Test } from '../../../lib/search/language/query.ts';
import { readRegex } from '../../../lib/search/language/regex.ts';
import { isIn } from '../../../lib/search/segment/addresses.ts';
import { isBetween } from '../../../lib/search/segment/numbers.ts';
import type { Document } from '../../../lib/search/segment/segment.ts';
import { idField, nameField } from '../../../lib/search/segment/term.ts';
import { isNumberBetween } from '../../../lib/search/segment/value-search.ts';

/** Whether a document passes a query, document by document: what an index must answer. `folds` is as for the index. */
export function passes(document: Document, query: Query, folds: (field: string) => boolean = () => false): boolean {
  switch (query.op) {
    case 'all':
      return true;
    case 'and':
      return query.of.every((one) => passes(document, one, folds));
    case 'or':
      return query.of.some((one) => passes(document, one, folds));
    case 'not':
      return !passes(document, query.of, folds);
    case 'term': {
      const isFolded = folds(query.field) || query.field === nameField || query.field === idField;
      const tests = { [idField]: ['present', 'glob'], [nameField]: ['present', 'glob', 'regex'] }[query.field];
      if (tests && !tests.includes(query.test.is)) return false;
      return (
        textsOf(document, query.field).some((text) => holds(query.test, text, isFolded)) ||
        numberHolds(document, query.field, query.test, isFolded)
      );
    }
  }
}

function textsOf({ id, names, keywords }: Document, field: string): readonly string[] {
  if (field === idField) return [id];
  return field === nameField ? names.flatMap((name) => [name, name.replace(/\..*$/s, '')]) : (keywords.get(field) ?? []);
}

function holds(test: Test, text: string, folds: boolean): boolean {
  switch (test.is) {
    case 'present':
      return true;
    case 'glob':
      return test.any.some((glob) => globMatcher(glob, { folds })(text));
    case 'regex':
      return test.any.some((pattern) => {
        const regex = readRegex(pattern, { folds });
        return 'test' in regex && regex.test(text);
      });
    case 'network': {
      const address = readAddress(text);
      return address !== undefined && test.any.some((range) => isIn(range, address));
    }
    case 'range':
      return isNumberBetween(text, test);
  }
}

function numberHolds({ numbers }: Document, field: string, test: Test, folds: boolean): boolean {
  const value = [idField, nameField].includes(field) ? undefined : numbers.get(field);
  if (value === undefined) return false;
  return test.is === 'range' ? isBetween(value, test) : test.is !== 'network' && holds(test, String(value), folds);
}
