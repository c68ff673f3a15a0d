import { describe, expect, it } from 'vitest';
import { chosen, type Entry, fitOf } from '../../ui/palette/choose.ts';
import { type Around, entriesOf } from '../../ui/palette/entries.ts';
import { openedOf } from '../../ui/shell/opened.ts';
import { keyOf, placesIn, visited } from '../../ui/shell/places.ts';

const entry = (group: Entry['group'], label: string, also = ''): Entry => ({ id: label, group, label, also, does: { path: '/' } });
const found = (entries: readonly Entry[], typed: string): readonly string[] =>
  chosen(entries, typed).flatMap(({ entries: some }) => some.map(({ label }) => label));

describe('what was typed into the palette', () => {
  it('fits what has all its words, best what begins with them', () => {
    expect(fitOf(entry('Nodes', 'node3.acme.org'), 'node3')).toBe(3);
    expect(fitOf(entry('Nodes', 'node3.acme.org', 'zone hamburg'), 'ham acme')).toBe(2);
    expect(fitOf(entry('Nodes', 'node3.acme.org'), 'cme')).toBe(1);
    expect(fitOf(entry('Nodes', 'node3.acme.org'), 'node3 bremen')).toBe(0);
  });
  it('may have signs that expressions know', () => {
    expect(fitOf(entry('Nodes', 'a(b'), 'a(')).toBe(3);
  });
  it('finds names with numbers in their order', () => {
    expect(found([entry('Nodes', 'node10.a'), entry('Nodes', 'node2.a')], 'node')).toEqual(['node2.a', 'node10.a']);
  });
  it('shows the group first that has what was named', () => {
    const entries = [entry('Views', 'Systems about node3'), entry('Nodes', 'node3.a')];
    expect(found(entries, 'node3')).toEqual(['node3.a', 'Systems about node3']);
    expect(found(entries, '')).toEqual(['Systems about node3', 'node3.a']);
  });
  it('shows eight of a group', () => {
    expect(
      found(
        Array.from({ length: 30 }, (_, n) => entry('Nodes', `node${n}`)),
        'node',
      ),
    ).toHaveLength(8);
  });
});

const around: Around = {
  views: [
    { path: '/', title: 'Overview', key: '1' },
    { path: '/systems', title: 'Systems', key: '2' },
    { path: '/onboarding', title: 'Onboarding', key: '3' },
  ],
  zones: [],
  nodes: [{ id: 'n1', fqdn: 'node1.acme.org', zone: 'hamburg', status: 'up' } as Around['nodes'][number]],
  systems: [],
  recent: [],
  rights: { read: 'all', operate: ['hamburg'] } as Around['rights'],
};
const deeds = (of: Around): readonly string[] => entriesOf(of).flatMap(({ group, label }) => (group === 'Do' ? [label] : []));

describe('what the palette does', () => {
  it('is what the caller may do, in the zones where that is so', () => {
    expect(deeds(around)).toEqual([
      'Accept machines that wait',
      'Dark colours',
      'Light colours',
      'Colours as the system has them',
      'Sign out',
      'Drain node1',
      'Hold node1',
      'Drop node1',
    ]);
    const rights = { read: 'all', operate: ['bremen'] } as Around['rights'];
    expect(deeds({ ...around, rights })).not.toContain('Drain node1');
  });
  it('orders a node nothing by itself: it opens its page, which asks', () => {
    expect(entriesOf(around).find(({ label }) => label === 'Drain node1')?.does).toEqual({ path: '/nodes/n1', search: { do: 'drain' } });
  });
  it('shows orders to nodes once something was typed', () => {
    expect(found(entriesOf(around), '')).not.toContain('Drain node1');
    expect(found(entriesOf(around), 'drain')).toEqual(['Drain node1']);
  });
  it('leaves out what cannot be done to a node that is gone', () => {
    const nodes = around.nodes.map((node) => ({ ...node, status: 'dropped' as const }));
    expect(deeds({ ...around, nodes })).not.toContain('Drain node1');
  });
  it('names the places where a person was by what is there', () => {
    const recent = [
      { path: '/nodes/n1', search: {} },
      { path: '/systems', search: { q: 'tag:db' } },
      { path: '/nodes/gone', search: {} },
      { path: '/systems', search: {} },
    ];
    const labels = entriesOf({ ...around, recent }).flatMap(({ group, label, hint }) => (group === 'Recent' ? [`${label} ${hint}`] : []));
    expect(labels).toEqual(['node1.acme.org node', 'tag:db in Systems']);
  });
});

const place = (path: string, search: Readonly<Record<string, string>> = {}) => ({ path, search });

describe('the views that can be opened', () => {
  const views = ['/', '/storage', '/services', '/nodes/:id'].map((path) => ({ path, title: path }));
  const keys = (zones: Parameters<typeof openedOf>[1]) => openedOf(views, zones).map(({ key, path }) => `${key} ${path}`);
  it('are those without parameters, by digits in their order', () => {
    expect(keys([{ kind: 'management' }, { kind: 'storage' }])).toEqual(['1 /', '2 /storage', '3 /services']);
  });
  it('have no storage before there is a zone of that kind, and the others keep their digits', () => {
    expect(keys([{ kind: 'management' }])).toEqual(['1 /', '3 /services']);
    expect(keys(undefined)).toEqual(['1 /', '3 /services']);
  });
  it('have no digit beyond the ninth', () => {
    const many = Array.from({ length: 11 }, (_, n) => ({ path: `/${n}`, title: '' }));
    expect(openedOf(many, []).map(({ key }) => key)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9', '', '']);
  });
});

describe('the places where a person was', () => {
  it('are each there once, the newest first', () => {
    const places = [place('/a'), place('/b'), place('/a')].reduce(visited, []);
    expect(places.map(keyOf)).toEqual([keyOf(place('/a')), keyOf(place('/b'))]);
  });
  it('have a query once, however it was typed', () => {
    const places = ['w', 'web', 'web*', 'db'].map((q) => place('/systems', { q })).reduce(visited, []);
    expect(places.map(({ search }) => search['q'])).toEqual(['db', 'web*']);
  });
  it('are the same whatever is picked there', () => {
    expect([place('/systems', { fp: 'a' }), place('/systems', { fp: 'b' })].reduce(visited, [])).toEqual([place('/systems', { fp: 'b' })]);
  });
  it('are forgotten when they cannot be read', () => {
    expect(placesIn('{')).toEqual([]);
    expect(placesIn('[1, {"path":"/a","search":{}}]')).toEqual([place('/a')]);
  });
});
