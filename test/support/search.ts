import * as fc from 'fast-check';
import type { Query, Test } from '../../lib/search/language/query.ts';
import type { Document } from '../../lib/search/segment/segment.ts';

/** Few ids, so that documents come again; two of them share many digits. */
export const anId = fc
  .integer({ min: 0, max: 40 })
  .map((n) => ((n * 0x9e37_79b1) >>> (n % 3 === 0 ? 0 : 24)).toString(16).padStart(64, 'a0'));

const host = fc.stringMatching(/^[a-c0-2-]{1,5}$/);
const aName = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(host, fc.constantFrom('', '.a', '.dc1.ab', '.dc2.ab', '.b-c')).map((parts) => parts.join('')) },
  fc.constantFrom('ab0'.repeat(14), `${'a'.repeat(35)}.dc1.ab`, 'é.a', 'aé', 'b.ü', '\u{1f600}a', '\uffeea', ''),
);
const values = [
  'db',
  'web',
  'Web',
  'cache-1',
  'é',
  '',
  '12',
  '-3.5',
  '10.0.0.1',
  '10.0.1.200',
  '192.168.0.9',
  '2001:db8::1',
  '::ffff:10.0.0.7',
];
const aNumber = fc.oneof(fc.integer({ min: -5, max: 9 }), fc.constantFrom(0.5, 1e15, -1e-3, 2 ** 33));

/** A document of few names, values and numbers. */
export const aDocument: fc.Arbitrary<Document> = fc.record({
  id: anId,
  version: fc.integer({ min: 1, max: 12 }),
  names: fc.oneof({ weight: 3, arbitrary: aName.map((name) => [name]) }, fc.array(aName, { maxLength: 3 })),
  keywords: fc
    .record(
      { tag: fc.array(fc.constantFrom(...values), { maxLength: 4 }), ip: fc.subarray(values, { maxLength: 2 }) },
      { requiredKeys: [] },
    )
    .map((fields) => new Map(Object.entries(fields).flatMap(([field, all]) => (all ? [[field, all] as const] : [])))),
  numbers: fc
    .record({ cpu: aNumber, tag: aNumber }, { requiredKeys: [] })
    .map((fields) => new Map(Object.entries(fields).flatMap(([field, one]) => (one === undefined ? [] : [[field, one] as const])))),
});

const aGlob = fc.oneof(
  fc.constantFrom(...values),
  aName,
  fc
    .array(fc.constantFrom('*', '?', '[a-c]', '[!a0]', 'a', 'b', 'c', '0', '1', '-', '.', 'dc1', '.ab', '\\*', 'é', 'e', 'w'), {
      maxLength: 7,
    })
    .map((all) => all.join('')),
  fc.constantFrom(
    '*',
    'a*',
    '*.dc1.*',
    `${'a*'.repeat(20)}b`,
    `${'[a-b]?'.repeat(17)}*`,
    `*${'a'.repeat(34)}*b`,
    `${'a'.repeat(33)}*.ab`,
    `*${'[!z]'.repeat(3)}*`,
  ),
);
const aRegex = fc.constantFrom(
  'a',
  '^a',
  'b$',
  '^(a|b).*c',
  'dc[12]\\.ab',
  'a+b?',
  '^[a-c]{2}',
  '(?i)WEB',
  '\\d',
  'a|b',
  '^$',
  'c.1',
  '(ab)*c',
  '^a\\.',
  'a\\Q.\\E',
);
const aRange = fc
  .record({ from: aNumber, to: aNumber, fromOpen: fc.boolean(), toOpen: fc.boolean() }, { requiredKeys: [] })
  .map((range) => ({ is: 'range' as const, ...range }));
const aNetwork = fc.constantFrom<Extract<Test, { is: 'network' }>['any'][number]>(
  { version: 4, from: 0x0a00_0000n, to: 0x0a00_00ffn },
  { version: 4, from: 0n, to: 0xffff_ffffn },
  { version: 6, from: 0n, to: (1n << 128n) - 1n },
);
const aTest: fc.Arbitrary<Test> = fc.oneof(
  fc.constant({ is: 'present' as const }),
  { weight: 5, arbitrary: fc.array(aGlob, { minLength: 1, maxLength: 2 }).map((any) => ({ is: 'glob' as const, any })) },
  fc.array(aRegex, { minLength: 1, maxLength: 2 }).map((any) => ({ is: 'regex' as const, any })),
  fc.array(aNetwork, { minLength: 1, maxLength: 2 }).map((any) => ({ is: 'network' as const, any })),
  aRange,
);
const aTerm: fc.Arbitrary<Query> = fc.oneof(
  fc
    .tuple(fc.constantFrom('name', 'name', 'tag', 'ip', 'cpu', 'fp', 'nothing'), aTest, fc.nat(99))
    .map(([field, test, at]) => ({ op: 'term' as const, field, test, at, text: field })),
  anId.chain((id) =>
    fc.nat(64).map((digits) => ({
      ...{ op: 'term' as const, field: 'fp', at: 1, text: 'fp' },
      test: { is: 'glob' as const, any: [digits === 64 ? id : `${id.slice(0, digits)}*`] },
    })),
  ),
);

/** A query of all forms. */
export const aQuery: fc.Arbitrary<Query> = fc.letrec<{ query: Query }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 4, arbitrary: aTerm },
    { weight: 1, arbitrary: fc.constant<Query>({ op: 'all' }) },
    { weight: 2, arbitrary: fc.array(tie('query'), { minLength: 1, maxLength: 3 }).map((of) => ({ op: 'and' as const, of })) },
    { weight: 2, arbitrary: fc.array(tie('query'), { minLength: 1, maxLength: 3 }).map((of) => ({ op: 'or' as const, of })) },
    { weight: 1, arbitrary: tie('query').map((of) => ({ op: 'not' as const, of })) },
  ),
})).query;
