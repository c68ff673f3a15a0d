import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filtered, odd, oddityIn } from '../../ui/onboarding/systems/filter.ts';
import { groupsOf, suggestionsOf, type Waiting } from '../../ui/onboarding/systems/groups.ts';
import { stemOf, tagOfStem, wideStemOf } from '../../ui/onboarding/systems/stem.ts';

/** A machine that waits; only what matters is given. */
function aWaiting(fqdn: string, given: Partial<Record<keyof Waiting, unknown>> = {}): Waiting {
  const fp = Array.from({ length: 64 }, (_, n) => ((fqdn.charCodeAt(n % fqdn.length) * (n + 7)) % 16).toString(16)).join('');
  return {
    fp,
    fingerprint: fp.replace(/..(?!$)/g, '$&:'),
    fqdn,
    machineId: `id of ${fqdn}`,
    status: 'new',
    because: 'it waits in the onboarding pool',
    tags: [],
    groups: [],
    suggestedTags: [],
    facts: {},
    firstSeenAt: '2026-01-01T00:00:00.000Z',
    seenAt: '2026-01-01T00:00:00.000Z',
    ...given,
  } as Waiting;
}

const named = (items: readonly Waiting[], by: 'name' | 'zone' | 'token' = 'name') =>
  groupsOf(items, by).map(({ title, items }) => [title, items.map(({ fqdn }) => fqdn.split('.')[0]).join(' ')]);

describe('a stem', () => {
  it('is a name with its numbers left open, in its first label alone', () => {
    expect(stemOf('trading07.rack7.acme.org')).toBe('trading*.rack7.acme.org');
    expect(stemOf('ip-10-0-3-17.eu.acme.org')).toBe('ip-*-*-*-*.eu.acme.org');
    expect(stemOf('web')).toBe('web');
    expect(wideStemOf('trading07.rack7.acme.org')).toBe('trading*.rack*.acme.org');
  });

  it('takes ids in hex for numbers, and words of such letters for words', () => {
    expect(stemOf('i-0abc12de34.acme.org')).toBe('i-*.acme.org');
    expect(stemOf('facade.acme.org')).toBe('facade.acme.org');
  });

  it('suggests the word that it begins with, if it has a number', () => {
    expect(tagOfStem('trading*.rack7.acme.org')).toBe('trading');
    expect(tagOfStem('db-prod-*.acme.org')).toBe('db-prod');
    expect(tagOfStem('mail.acme.org')).toBeUndefined();
    expect(tagOfStem('*.acme.org')).toBeUndefined();
  });
});

describe('those that wait', () => {
  it('are grouped by stem and domain, each group in the order of numbers', () => {
    const some = ['web10.a.org', 'web9.a.org', 'db1.a.org', 'db2.a.org', 'web1.b.org', 'web2.b.org'].map((name) => aWaiting(name));
    expect(named(some)).toEqual([
      ['db*.a.org', 'db1 db2'],
      ['web*.a.org', 'web9 web10'],
      ['web*.b.org', 'web1 web2'],
    ]);
  });

  it('are apart where they ask for another zone, or their token was refused for another reason', () => {
    const tokenRefused = 'it is expired';
    const some = [
      aWaiting('web1.a.org', { zone: 'emea' }),
      aWaiting('web2.a.org', { zone: 'emea' }),
      aWaiting('web3.a.org'),
      aWaiting('web4.a.org'),
      aWaiting('web5.a.org', { tokenRefused }),
      aWaiting('web6.a.org', { tokenRefused }),
    ];
    expect(groupsOf(some, 'name').map(({ zone, refusal, items }) => [zone, refusal, items.length])).toEqual([
      [undefined, undefined, 2],
      [undefined, 'it is expired', 2],
      ['emea', undefined, 2],
    ]);
    expect(named(some, 'token')).toEqual([
      ['brought no onboarding token', 'web1 web2 web3 web4'],
      ['onboarding token refused: it is expired', 'web5 web6'],
    ]);
    expect(named(some, 'zone')).toEqual([
      ['ask for emea', 'web1 web2'],
      ['ask for no zone', 'web3 web4 web5 web6'],
    ]);
  });

  it('are grouped across numbered domains where each is alone in its own, and at last with others like nothing', () => {
    const some = ['web1.rack1.a.org', 'web1.rack2.a.org', 'vpn.a.org', 'mail.a.org'].map((name) => aWaiting(name));
    expect(named(some)).toEqual([
      ['web*.rack*.a.org', 'web1 web1'],
      ['alone of their kind', 'mail vpn'],
    ]);
    expect(named([aWaiting('mail7.a.org')])).toEqual([['mail7.a.org', 'mail7']]);
  });

  it('are each in exactly one group, whatever their names, zones and tokens', () => {
    const label = fc.stringMatching(/^[a-f0-9-]{1,6}$/);
    const one = fc.record({ name: fc.tuple(label, label), zone: fc.option(fc.constantFrom('emea', 'apac'), { nil: undefined }) });
    const some = fc.uniqueArray(one, { selector: ({ name }) => name.join('.'), maxLength: 40 });
    fc.assert(
      fc.property(some, fc.constantFrom('name', 'zone', 'token'), (machines, by) => {
        const items = machines.map(({ name, zone }) => aWaiting(name.join('.'), { zone }));
        const groups = groupsOf(items, by as 'name');
        expect(
          groups
            .flatMap((group) => group.items)
            .map(({ fqdn }) => fqdn)
            .sort(),
        ).toEqual(items.map(({ fqdn }) => fqdn).sort());
        expect(new Set(groups.map(({ id }) => id)).size).toBe(groups.length);
        for (const group of groups.filter(() => by === 'name')) expect(new Set(group.items.map(({ zone }) => zone)).size).toBe(1);
      }),
    );
  });

  it('suggest tags, the most frequent first, and then the word of their names', () => {
    const some = [aWaiting('web1.a.org', { suggestedTags: ['b', 'a'] }), aWaiting('web2.a.org', { suggestedTags: ['a'] })];
    expect(groupsOf(some, 'name')[0]!.suggestions).toEqual([
      { tag: 'a', n: 2 },
      { tag: 'b', n: 1 },
      { tag: 'web', n: 0 },
    ]);
    expect(suggestionsOf([aWaiting('web1.a.org', { suggestedTags: ['web'] })], 'web')).toEqual([{ tag: 'web', n: 1 }]);
  });
});

describe('the filter', () => {
  const held = { held: true, because: 'held: another key', keys: [] };
  const some = [
    aWaiting('web1.a.org', { zone: 'emea', suggestedTags: ['Frontend'], fp: `ab12${'0'.repeat(60)}` }),
    aWaiting('db1.a.org', { sameMachineId: held, fp: `cd34${'0'.repeat(60)}` }),
    aWaiting('db2.a.org', { unsigned: true, minion: { id: 'salt-db2', fingerprint: 'ef:56' }, fp: `ff00${'0'.repeat(60)}` }),
  ];
  const found = (text: string, only?: string) => filtered(some, text, oddityIn(only)).map(({ fqdn }) => fqdn.split('.')[0]);

  it('finds every word in a name, a zone, a tag or a minion, and digits of a fingerprint from its beginning', () => {
    expect(found('EMEA front')).toEqual(['web1']);
    expect(found('db frontend')).toEqual([]);
    expect(found('ab:12')).toEqual(['web1']);
    expect(found('12')).toEqual([]);
    expect(found('ef56')).toEqual(['db2']);
    expect(found('salt-')).toEqual(['db2']);
    expect(found('  ')).toEqual(['web1', 'db1', 'db2']);
  });

  it('finds what is odd, and counts it', () => {
    expect(found('', 'held')).toEqual(['db1']);
    expect(found('db', 'unsigned')).toEqual(['db2']);
    expect(found('', 'toString')).toEqual(['web1', 'db1', 'db2']);
    expect(odd(some).map(({ oddity, n }) => [oddity, n])).toEqual([
      ['held', 1],
      ['unsigned', 1],
    ]);
  });
});
