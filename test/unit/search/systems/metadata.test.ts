import { beforeEach, describe, expect, it } from 'vitest';
import { metadataKeywords, metadataValuesMax } from '../../../../lib/search/systems/metadata.ts';
import { Agent, Daemon } from '../../../../tools/support/players.ts';
import { stepped, type World } from '../../../../tools/support/stepped.ts';

describe('the values of documents', () => {
  const of = (documents: Readonly<Record<string, unknown>>) => Object.fromEntries(metadataKeywords(new Map(Object.entries(documents))));

  it('are found by their kind and path, and by their kind alone; those of a list by its path', () => {
    const channels = { base: 'sles15-sp6', child: ['updates', 'tools'], 'auto-update': true, count: 2 };
    expect(of({ channels })).toEqual({
      'meta.channels': ['sles15-sp6', 'updates', 'tools', 'true', '2'],
      'meta.channels.base': ['sles15-sp6'],
      'meta.channels.child': ['updates', 'tools'],
      'meta.channels.auto-update': ['true'],
      'meta.channels.count': ['2'],
    });
    expect(of({ a: [{ b: { c: 'x' } }, { b: { c: 'y' } }], b: ['z'] })).toEqual({
      'meta.a': ['x', 'y'],
      'meta.a.b.c': ['x', 'y'],
      'meta.b': ['z'],
    });
  });

  it('of names that no query can have are found by their kind alone', () => {
    expect(of({ pillar: { 'a key': 'one', 'a.b': 'two' } })).toEqual({ 'meta.pillar': ['one', 'two'] });
  });

  it('are texts, numbers and truths of a bounded length, depth and number', () => {
    expect(of({ a: { none: null, empty: '', long: 'x'.repeat(257), most: 'x'.repeat(256) } })).toEqual({
      'meta.a': ['x'.repeat(256)],
      'meta.a.most': ['x'.repeat(256)],
    });
    const deep = (levels: number): unknown => (levels === 0 ? 'x' : [deep(levels - 1)]);
    expect(of({ a: deep(8) })).toEqual({ 'meta.a': ['x'] });
    expect(of({ a: deep(9), b: JSON.parse('['.repeat(30_000) + ']'.repeat(30_000)) })).toEqual({});
    const many = Array.from({ length: metadataValuesMax + 10 }, (_, n) => n);
    expect(of({ a: many, b: ['none'] })).toEqual({ 'meta.a': many.slice(0, metadataValuesMax).map(String) });
  });
});

describe('a search by metadata', () => {
  let world: World;
  let web1: Daemon;
  beforeEach(async () => {
    world = await stepped();
    await new Agent(world, 'node1.acme.org').start();
    web1 = await new Daemon(world, 'web1.acme.org').onboarded();
    await new Daemon(world, 'web2.acme.org').onboarded();
  });
  const put = async (kind: string, document: object): Promise<void> => {
    expect(await world.call('PUT', `/api/v1/systems/${web1.fp}/metadata/${kind}`, { document })).toMatchObject({ status: 200 });
  };
  const names = async (q: string): Promise<string[]> => {
    await world.step(0);
    const { status, body } = await world.call('GET', `/api/v1/systems/find?${new URLSearchParams({ q })}`);
    expect([status, body]).toMatchObject([200, {}]);
    return (body as { items: { fqdn: string }[] }).items.map(({ fqdn }) => fqdn.split('.')[0]!);
  };

  it('finds by a value, a number and Salt’s matcher of pillars, and follows each change', async () => {
    expect(await names('meta.channels:*')).toEqual([]);
    await put('channels', { base: 'SLES15-sp6', child: ['updates', 'tools'] });
    await put('pillar', { role: 'web', disks: 3 });

    expect(await names('meta.channels.base:sles15*')).toEqual(['web1']);
    expect(await names('meta.channels.child:tools')).toEqual(['web1']);
    expect(await names('meta.channels:tools')).toEqual(['web1']);
    expect(await names('meta.pillar.disks:>2')).toEqual(['web1']);
    expect(await names('meta.pillar.disks:>3')).toEqual([]);
    expect(await names('I@role:web')).toEqual(['web1']);
    expect(await names('-meta.pillar:*')).toEqual(['web2']);
    await put('channels', { base: 'leap' });
    expect(await names('meta.channels.child:tools')).toEqual([]);
    expect(await names('meta.channels.base:leap')).toEqual(['web1']);
    await world.call('DELETE', `/api/v1/systems/${web1.fp}/metadata/channels`);
    expect(await names('meta.channels:*')).toEqual([]);
  });

  it('finds the same in an environment that reads every row, and leaves histories out', async () => {
    await put('channels', { base: 'leap' });
    await world.call('POST', `/api/v1/systems/${web1.fp}/metadata/actions`, { entries: [{ did: 'reboot' }] });
    for (const environment of ['followed', 'anew']) {
      if (environment === 'anew') world.environment('search').caches.clear();
      expect(await names('meta.channels.base:leap')).toEqual(['web1']);
      expect(await names('meta.actions:*')).toEqual([]);
    }
  });
});
