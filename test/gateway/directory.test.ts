import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../lib/api/client.ts';
import type { EpochMs } from '../../lib/core/time.ts';
import type { GatewayNode } from '../../lib/uyuni/gateway/directory.ts';
import { nodeCalls } from '../../programs/gateway/node-calls.ts';
import { directoryFrom } from '../../programs/gateway/nodes-of-muster.ts';
import { accountIn, NumbersOfNodes } from '../../programs/gateway/numbers-of-nodes.ts';
import { aPlayedNode, type PlayedNode } from '../support/a-played-node.ts';

type Rows = { readonly nodes: readonly object[]; readonly systems: Readonly<Record<string, readonly object[]>> };

/** Muster, as far as the gateway reads it, with two items a page. */
const muster = ({ nodes, systems }: Rows): ApiClient =>
  (async (
    route: { readonly path: string },
    sent: { readonly query: { readonly q?: string; readonly cursor?: string; readonly zone?: string } },
  ) => {
    const all =
      route.path === '/api/v1/zones'
        ? [{ name: 'default' }, { name: 'other' }]
        : route.path === '/api/v1/nodes'
          ? nodes.filter((node) => (node as { zone: string }).zone === sent.query.zone)
          : (systems[sent.query.q!.replace('node:', '')] ?? []);
    const from = Number(sent.query.cursor ?? 0);
    return { ok: true, body: { items: all.slice(from, from + 2), ...(from + 2 < all.length && { next: String(from + 2) }) } };
  }) as unknown as ApiClient;

const aNode = (fqdn: string, status = 'up', kind = 'uyuni', zone = 'default') => ({ fqdn, status, kind, zone });
const aSystem = (clusterId: number | undefined, minion: string, numberThere?: number) => ({
  clusterId,
  minion: { id: minion },
  numberThere,
});
const wanted = { zone: undefined, urls: new Map([['b.acme.test', 'http://10.0.0.2']]), numbersOf: undefined };

describe('the directory of Muster', () => {
  it('has the Uyuni servers of all zones that have systems, and whether they are up', async () => {
    const nodes = [
      aNode('c.acme.test', 'down'),
      aNode('a.acme.test'),
      aNode('s.acme.test', 'up', 'storage'),
      aNode('j.acme.test', 'joining'),
      aNode('b.acme.test', 'leaving', 'uyuni', 'other'),
    ];
    const directory = await directoryFrom(muster({ nodes, systems: {} }), wanted);
    expect(directory.nodes()).toEqual([
      { name: 'a.acme.test', url: 'https://a.acme.test', isUp: true, isInSync: true, zone: 'default' },
      { name: 'b.acme.test', url: 'http://10.0.0.2', isUp: true, isInSync: true, zone: 'other' },
      { name: 'c.acme.test', url: 'https://c.acme.test', isUp: false, isInSync: true, zone: 'default' },
    ]);
  });

  it('has the numbers of servers that scripts of the hub know', async () => {
    const serverIds = new Map([['a.acme.test', 1_000_010_003]]);
    const rows = { nodes: [aNode('a.acme.test'), aNode('b.acme.test')], systems: {} };
    const directory = await directoryFrom(muster(rows), { ...wanted, serverIds });
    expect(directory.nodes().map(({ name, serverId }) => [name, serverId])).toEqual([
      ['a.acme.test', 1_000_010_003],
      ['b.acme.test', undefined],
    ]);
  });

  it('has systems by their numbers at adoption, or by those that their server gives', async () => {
    const systems = { 'a.acme.test': [aSystem(101, 'm1', 1), aSystem(102, 'm2'), aSystem(undefined, 'm3', 3)] };
    const rows = { nodes: [aNode('a.acme.test')], systems };
    const adopted = await directoryFrom(muster(rows), wanted);
    expect([101, 102].map((id) => adopted.homeOf(id))).toEqual([{ node: 'a.acme.test', localId: 1 }, undefined]);
    const numbersOf = async () =>
      new Map([
        [
          'a.acme.test',
          new Map([
            ['m1', 11],
            ['m2', 12],
            ['m3', 13],
          ]),
        ],
      ]);
    const given = await directoryFrom(muster(rows), { ...wanted, numbersOf });
    expect([101, 102].map((id) => given.homeOf(id)?.localId)).toEqual([11, 12]);
    expect([11, 12, 13].map((id) => given.clusterIdOf('a.acme.test', id))).toEqual([101, 102, undefined]);
  });

  it('has a system that moves while it is read where it was seen last', async () => {
    const systems = { 'a.acme.test': [aSystem(101, 'm1', 1)], 'b.acme.test': [aSystem(101, 'm1', 7)] };
    const directory = await directoryFrom(muster({ nodes: [aNode('a.acme.test'), aNode('b.acme.test')], systems }), wanted);
    expect(directory.homeOf(101)).toEqual({ node: 'b.acme.test', localId: 7 });
    expect(directory.clusterIdOf('a.acme.test', 1)).toBeUndefined();
  });

  it('leaves out systems of one number, so that no call reaches another than was meant', async () => {
    const systems = { 'a.acme.test': [aSystem(101, 'localhost', 1), aSystem(102, 'localhost', 1), aSystem(103, 'm3', 3)] };
    const directory = await directoryFrom(muster({ nodes: [aNode('a.acme.test')], systems }), wanted);
    expect([101, 102, 103].map((id) => directory.homeOf(id)?.localId)).toEqual([undefined, undefined, 3]);
  });

  it('is not made where Muster refuses', async () => {
    const call = (async () => ({ ok: false, problem: { title: 'Forbidden', detail: 'the key may not read' } })) as unknown as ApiClient;
    await expect(directoryFrom(call, wanted)).rejects.toThrow('the key may not read');
  });
});

describe('the numbers of systems on servers', () => {
  let nodes: PlayedNode[];
  const calls = nodeCalls(undefined);
  const said: string[] = [];
  const clock = {
    now: () => Date.now() as EpochMs,
    after: (waitMs: number, then: () => void) => {
      const timer = setTimeout(then, waitMs);
      return () => clearTimeout(timer);
    },
  };
  const shown = (): GatewayNode[] => nodes.map(({ name, url }) => ({ name, url, isUp: true, isInSync: true }));
  beforeAll(async () => {
    nodes = await Promise.all(['a.acme.test', 'b.acme.test'].map((name) => aPlayedNode(name, [1, 2], { gateway: 'secret' })));
  });
  afterAll(async () => {
    calls.close();
    await Promise.all(nodes.map((node) => node.close()));
  });

  it('are read by the gateway’s own account, and stay as they were where a server does not give them', async () => {
    const numbers = new NumbersOfNodes({
      account: { login: 'gateway', password: 'secret' },
      call: calls.call,
      clock,
      say: (line) => said.push(line),
    });
    const all = await numbers.of(shown());
    expect([...all.get('b.acme.test')!]).toEqual([
      ['s1.b.acme.test', 1],
      ['s2.b.acme.test', 2],
    ]);
    expect(nodes.map(({ sessions }) => sessions.size)).toEqual([0, 0]);
    nodes[1]!.trouble = 'closes';
    expect((await numbers.of(shown())).get('b.acme.test')?.size).toBe(2);
    nodes[1]!.trouble = 'lies';
    expect((await numbers.of(shown())).get('b.acme.test')?.size).toBe(2);
    nodes[1]!.people.clear();
    nodes[1]!.trouble = undefined;
    expect((await numbers.of(shown())).get('b.acme.test')?.size).toBe(2);
    expect(said.join('\n')).toMatch(/b\.acme\.test are as they were before: auth\.login: Either the password/);
    expect((await numbers.of(shown().slice(0, 1))).has('b.acme.test')).toBe(false);
  });

  it('are not read by an account that others may read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'muster-account-'));
    const file = join(folder, 'account.json');
    writeFileSync(file, '{"login":"gateway","password":"secret"}', { mode: 0o600 });
    expect(accountIn(file)).toEqual({ login: 'gateway', password: 'secret' });
    chmodSync(file, 0o644);
    expect(() => accountIn(file)).toThrow('other users may read');
    writeFileSync(file, '{"login":"hidden"}');
    chmodSync(file, 0o600);
    expect(() => accountIn(file)).toThrow(/is not a JSON object with login and password$/);
    rmSync(folder, { recursive: true });
  });
});
