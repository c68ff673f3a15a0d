import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ZoneName } from '../../../lib/core/ids.ts';
import { type AdminScope, adminScopes, both, type Reach, type Rights, rightsOf } from '../../../lib/identity/rights.ts';
import { covers, inFull } from '../../../lib/identity/scopes.ts';

const zones = ['a', 'b', 'c'].map((name) => ZoneName.parse(name));
const aReach: fc.Arbitrary<Reach> = fc.oneof(fc.constant('all' as const), fc.subarray(zones));
const someRights: fc.Arbitrary<Rights> = fc.dictionary(fc.constantFrom(...adminScopes), aReach).map((rights) => rights as Rights);

/** Every scope and zone that rights come to, one by one: said without the code that is tested. */
const spelt = (rights: Rights): string[] =>
  adminScopes.flatMap((scope) => {
    const reach = rights[scope] ?? [];
    return reach === 'all' ? [...zones, 'any other'].map((zone) => `${scope} ${zone}`) : reach.map((zone) => `${scope} ${zone}`);
  });

describe('what a scope brings with it', () => {
  it.each<[AdminScope, AdminScope[]]>([
    ['read', ['read']],
    ['number', ['read', 'number']],
    ['edit', ['read', 'edit']],
    ['operate', ['read', 'number', 'edit', 'operate']],
    ['execute', ['read', 'number', 'edit', 'operate', 'execute']],
    ['admin', ['read', 'number', 'edit', 'operate', 'admin']],
    ['security', ['read', 'security']],
    ['report', ['read', 'report']],
  ])('of %s is %j, where that is held', (scope, all) => {
    expect(
      inFull(
        rightsOf(
          [scope],
          ['a'].map((zone) => ZoneName.parse(zone)),
        ),
      ),
    ).toEqual(rightsOf(all, [ZoneName.parse('a')]));
    expect(inFull(rightsOf([scope], 'all'))).toEqual(rightsOf(all, 'all'));
  });

  it('never reaches into a zone that no scope is held in', () => {
    fc.assert(
      fc.property(someRights, (rights) => {
        const held = new Set(spelt(rights).map((one) => one.split(' ').slice(1).join(' ')));
        for (const one of spelt(inFull(rights))) expect(held).toContain(one.split(' ').slice(1).join(' '));
      }),
      { seed: 41 },
    );
  });

  it('is all there at once: doing it again adds nothing', () => {
    fc.assert(
      fc.property(someRights, (rights) => {
        expect(inFull(inFull(rights))).toEqual(inFull(rights));
      }),
      { seed: 42 },
    );
  });
});

describe('whoever hands out rights', () => {
  it('gives nothing that he does not have, in no zone', () => {
    fc.assert(
      fc.property(someRights, someRights, (held, given) => {
        const has = new Set(spelt(inFull(held)));

        expect(covers(held, given)).toBe(spelt(given).every((one) => has.has(one)));
      }),
      { seed: 43, numRuns: 500 },
    );
  });

  it('may give what he has, and to two what they have together', () => {
    fc.assert(
      fc.property(someRights, someRights, (a, b) => {
        expect(covers(a, inFull(a))).toBe(true);
        expect(covers(both(a, b), a)).toBe(true);
      }),
      { seed: 44 },
    );
  });
});
