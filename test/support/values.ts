import fc from 'fast-check';
import type { Attributes } from '../../lib/ports/table/attributes.ts';
import type { Value } from '../../lib/ports/table/table.ts';

/** Text that UTF-8 can carry, with what trips encoders: marks of our own, names of object internals, all of Unicode. */
const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('$', '$b', '$$b', '__proto__', 'constructor', '', '😀', '\u0000'));

/** A number that DynamoDB holds. */
const storable = fc
  .double({ noNaN: true, noDefaultInfinity: true })
  .filter((n) => n === 0 || (Math.abs(n) >= 1e-130 && Math.abs(n) < 1e126));

const { value } = fc.letrec<{ value: Value }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<Value>(null, true, false),
    text,
    fc.oneof(fc.integer(), storable).map((n) => n + 0),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => new Uint8Array(bytes)),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

/** Any attributes that a row could hold. */
export const anyAttributes: fc.Arbitrary<Attributes> = fc.dictionary(text, value, { maxKeys: 6, noNullPrototype: true });
