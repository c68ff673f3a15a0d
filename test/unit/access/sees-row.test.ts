import { expect, test } from 'vitest';
import type { AdminCaller } from '../../../lib/access/verify-admin.ts';
import { seesRow } from '../../../lib/access/zones-of-caller.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';

const callerIn = (zones: 'all' | readonly string[]) => ({ zones, rights: { read: zones } }) as unknown as AdminCaller;
const fid = '0x7200000000000001:0x2d';

test.each([
  [{ noun: 'zone', id: 'alpha' }, {}],
  [{ noun: 'node', id: 'n0123456789abcdef' }, { zone: 'alpha' }],
  [{ noun: 'cluster', id: 'alpha' }, {}],
  [{ noun: 'process', id: `alpha/${fid}` }, {}],
  [{ noun: 'mero-node', id: 'alpha/ssu1.acme.org' }, {}],
])('what %j concludes is there for whoever has its zone, and for nobody else who is limited', (ref, body) => {
  const row = { key: keyOf(ref), body };
  expect(seesRow(callerIn('all'), row)).toBe(true);
  expect(seesRow(callerIn(['alpha', 'gamma']), row)).toBe(true);
  expect(seesRow(callerIn(['beta']), row)).toBe(false);
});

test('what concerns the whole deployment is for whoever is limited to no zone', () => {
  const row = { key: keyOf({ noun: 'token-keys', id: '' }), body: {} };
  expect([seesRow(callerIn('all'), row), seesRow(callerIn(['alpha']), row)]).toEqual([true, false]);
});
