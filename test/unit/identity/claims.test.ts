import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ZoneName } from '../../../lib/core/ids.ts';
import { defaultGroups, type GroupMap, groupsIn, rightsOfGroups } from '../../../lib/identity/claims.ts';
import { type AdminScope, adminScopes, both, holdsIn, rightsOf, scopesOf } from '../../../lib/identity/rights.ts';

const zoneNames = ['acme', 'beta', 'gamma'] as ZoneName[];
const groupNames = ['a', 'b', 'c', '__proto__', 'constructor', 'toString'];
const scopeLists = fc.uniqueArray(fc.constantFrom(...adminScopes), { minLength: 1 });
const zoneLists = fc.option(fc.uniqueArray(fc.constantFrom(...zoneNames), { minLength: 1 }), { nil: undefined });
/** Maps as JSON gives them: every name is an own one, `__proto__` too. */
const maps: fc.Arbitrary<GroupMap> = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...groupNames), fc.record({ scopes: scopeLists, zones: zoneLists })), {
    selector: ([name]) => name,
  })
  .map((entries) => Object.fromEntries(entries));
const memberships = fc.array(fc.oneof(fc.constantFrom(...groupNames), fc.string()), { maxLength: 6 });

describe('what groups may do', () => {
  it('is in every zone exactly what one of them may there', () => {
    fc.assert(
      fc.property(maps, memberships, fc.constantFrom(...zoneNames), fc.constantFrom(...adminScopes), (map, groups, zone, scope) => {
        const given = groups.some(
          (group) => Object.hasOwn(map, group) && map[group]!.scopes.includes(scope) && (map[group]!.zones?.includes(zone) ?? true),
        );

        expect(holdsIn(rightsOfGroups(groups, map), scope, zone)).toBe(given);
      }),
      { seed: 29, numRuns: 1_000 },
    );
  });

  it('is held everywhere only where a group holds it everywhere: all zones one by one are not all of them', () => {
    fc.assert(
      fc.property(maps, memberships, (map, groups) => {
        const rights = rightsOfGroups(groups, map);

        for (const scope of adminScopes) {
          const everywhere = groups.some(
            (group) => Object.hasOwn(map, group) && map[group]!.scopes.includes(scope) && map[group]!.zones === undefined,
          );
          expect(rights[scope] === 'all').toBe(everywhere);
        }
      }),
      { seed: 31, numRuns: 1_000 },
    );
  });

  it('does not depend on their order, nor on being said twice', () => {
    fc.assert(
      fc.property(maps, memberships, (map, groups) => {
        expect(rightsOfGroups([...groups, ...groups].reverse(), map)).toEqual(rightsOfGroups(groups, map));
      }),
      { seed: 37 },
    );
  });

  it('is nothing for somebody whose groups nobody mapped', () => {
    expect(rightsOfGroups(['staff', 'constructor', '__proto__'], defaultGroups)).toEqual({});
    expect(rightsOfGroups([], defaultGroups)).toEqual({});
  });

  it('is in a deployment that maps none of its own what the group is named for', () => {
    const scopes = (group: string): AdminScope[] => scopesOf(rightsOfGroups([group], defaultGroups));
    expect(Object.fromEntries(Object.keys(defaultGroups).map((group) => [group, scopes(group)]))).toEqual({
      'muster-read': ['read'],
      'muster-operate': ['operate'],
      'muster-execute': ['execute'],
      'muster-admin': ['admin'],
      'muster-security': ['security'],
      'muster-report': ['report'],
      'muster-number': ['number'],
      'muster-edit': ['edit'],
    });
  });

  it('never adds operating one zone and reading all of them up to operating all of them', () => {
    const map: GroupMap = { acme: { scopes: ['operate'], zones: ['acme' as ZoneName] }, everybody: { scopes: ['read'] } };
    const rights = rightsOfGroups(['acme', 'everybody'], map);

    expect(rights).toEqual({ read: 'all', operate: ['acme'] });
    expect(holdsIn(rights, 'operate', 'beta' as ZoneName)).toBe(false);
  });
});

describe('rights together', () => {
  it('keep what either had where the other names a scope without a zone', () => {
    const acme = rightsOf(['read'], ['acme' as ZoneName]);
    expect(both(acme, { read: [] })).toEqual(acme);
    expect(both({ read: [] }, acme)).toEqual(acme);
    expect(scopesOf({ read: [] })).toEqual([]);
  });
});

describe('the groups that claims name', () => {
  it('are a list, or a single one', () => {
    expect(groupsIn({ groups: ['a', 'b'] }, 'groups')).toEqual(['a', 'b']);
    expect(groupsIn({ groups: 'a b' }, 'groups')).toEqual(['a b']);
    expect(groupsIn({ 'cognito:groups': ['a'] }, 'cognito:groups')).toEqual(['a']);
  });

  it('are none where the claim is missing, or is no text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        for (const group of groupsIn({ groups: value }, 'groups')) expect(typeof group).toBe('string');
      }),
      { seed: 41 },
    );
    expect(groupsIn({}, 'groups')).toEqual([]);
    expect(groupsIn({}, 'constructor')).toEqual([]);
    expect(groupsIn({ groups: [1, null, ['a'], { a: 1 }] }, 'groups')).toEqual([]);
  });
});
