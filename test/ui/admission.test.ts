import { describe, expect, it } from 'vitest';
import { badgeOf } from '../../ui/onboarding/badge.ts';
import { doneOf, filteredHosts, type Host, hostGroups } from '../../ui/onboarding/hosts/hosts.ts';
import { badTags, withWord, wordsIn } from '../../ui/onboarding/systems/labels.ts';
import { askedText } from '../../ui/onboarding/systems/zones.ts';
import { agentCommand, clientCommand } from '../../ui/onboarding/tokens/commands.ts';

/** A host of the pool; only what matters is given. */
const aHost = (fqdn: string, given: Partial<Record<keyof Host, unknown>> = {}): Host =>
  ({
    fp: `fp of ${fqdn}`,
    fingerprint: 'ab:cd',
    fqdn,
    kind: 'uyuni',
    standing: 'waiting',
    because: 'it asks to be a node and is not admitted yet',
    watch: `${fqdn}:4505`,
    source: '10.0.0.7',
    firstSeenAt: '2026-01-01T00:00:00.000Z',
    seenAt: '2026-01-01T00:00:00.000Z',
    ...given,
  }) as Host;

describe('hosts that wait', () => {
  it('come first, then nodes that ask to come back, then those about which somebody has decided', () => {
    const hosts = [
      aHost('n4', { standing: 'rejected' }),
      aHost('n3', { standing: 'admitted' }),
      aHost('n2', { dropped: { node: 'n2', at: '2026-01-01T00:00:00.000Z', planned: false } }),
      aHost('n10'),
      aHost('n9'),
    ];
    expect(hostGroups(hosts).map(({ id, items }) => [id, items.map(({ fqdn }) => fqdn).join(' ')])).toEqual([
      ['waiting', 'n9 n10'],
      ['dropped', 'n2'],
      ['admitted', 'n3'],
      ['rejected', 'n4'],
    ]);
    expect(hostGroups([])).toEqual([]);
  });

  it('are found by every word, and by the beginning of a fingerprint', () => {
    const hosts = [aHost('salt1', { kind: 'salt', zone: 'emea' }), aHost('ssu1', { kind: 'storage', fp: 'abcd00' })];
    const found = (text: string) => filteredHosts(hosts, text).map(({ fqdn }) => fqdn);
    expect([found('EMEA salt'), found('ab:cd'), found('10.0.0'), found('emea ssu')]).toEqual([['salt1'], ['ssu1'], ['salt1', 'ssu1'], []]);
  });

  it('have the reason why an order about them was not carried out', () => {
    const results = [
      { host: 'a', done: true, because: 'admitted' },
      { host: 'b', done: false, needs: 'anyWatch' as const, because: 'it is watched elsewhere' },
      { host: 'c', done: false, busy: true as const, because: 'busy, try again' },
    ];
    expect(doneOf(results)).toEqual({
      done: 1,
      not: [
        ['b', { because: 'it is watched elsewhere', needs: 'anyWatch' }],
        ['c', { because: 'busy, try again', needs: undefined }],
      ],
    });
  });
});

describe('the badge', () => {
  it('counts both kinds, and says when there are more than were counted', () => {
    expect(badgeOf([undefined, undefined])).toBeUndefined();
    expect(badgeOf([{ n: 0, isMore: false }])).toBeUndefined();
    expect(
      badgeOf([
        { n: 3, isMore: false },
        { n: 2, isMore: false },
      ]),
    ).toBe('5');
    expect(badgeOf([{ n: 200, isMore: true }, undefined])).toBe('200+');
  });
});

describe('the labels', () => {
  it('are the words between spaces or commas, each once', () => {
    expect(wordsIn(' web, frontend  web ')).toEqual(['web', 'frontend']);
    expect(wordsIn('  ')).toEqual([]);
  });

  it('are refused as the server would refuse them', () => {
    expect(badTags(['rack:r12', 'a/b', '-x', 'ü', 'a'.repeat(64), 'a'.repeat(65)])).toEqual(['-x', 'ü', 'a'.repeat(65)]);
  });

  it('are added and taken away by one button', () => {
    expect(withWord(['web'], 'db')).toEqual(['web', 'db']);
    expect(withWord(['web', 'db'], 'web')).toEqual(['db']);
  });
});

describe('the zone that is asked for', () => {
  it('is named where all ask for one, and counted where they do not', () => {
    expect(askedText([])).toBe('the zone that each asks for');
    expect(askedText([{ zone: 'emea' }, { zone: 'emea' }])).toBe('emea, as asked');
    expect(askedText([{}, { zone: 'emea' }, { zone: 'emea' }])).toBe('as each asks: emea 2, default 1');
  });
});

describe('the command that uses a token', () => {
  it('names what the program does not take by itself', () => {
    expect(clientCommand('https://m.acme.org', 's')).toBe('MUSTER_ONBOARDING_TOKEN=s muster-client --endpoint https://m.acme.org');
    expect(agentCommand('https://m.acme.org', 's', { nodes: 'n7.acme.org', kind: 'uyuni', zone: 'default' })).toBe(
      'MUSTER_JOIN_TOKEN=s muster-agent --endpoint https://m.acme.org --fqdn n7.acme.org',
    );
    expect(agentCommand('https://m.acme.org', 's', { nodes: 'ssu[1-40].acme.org', kind: 'storage', zone: 'emea' })).toBe(
      'MUSTER_JOIN_TOKEN=s muster-agent --endpoint https://m.acme.org --zone emea --kind storage',
    );
  });
});
