import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rungsOf } from '../../ui/storage/levels.ts';
import { goneWith, labelsOf, lossOf } from '../../ui/storage/lose.ts';
import { stepOf } from '../../ui/storage/step.ts';
import { byKind, touchedBy, waysOf } from '../../ui/storage/touch.ts';
import { boxesAtFirst, matching, openAtFirst, rowsOf, type Thing, thingsById, treeOf } from '../../ui/storage/tree.ts';
import { type AHost, aCluster } from './storage.ts';

const ssu = (n: number, more: Partial<AHost> = {}): AHost => ({
  host: `ssu${n}.acme.org`,
  enclosure: 'e1',
  processes: [
    { fid: `${n}0`, type: 'confd', services: [{ fid: `s${n}0`, type: 'CST_CONFD' }] },
    { fid: `${n}1`, services: [{ fid: `s${n}1`, type: 'CST_IOS', devices: [`wwn-${n}a`, `wwn-${n}b`] }] },
  ],
  ...more,
});
const ofTwo = aCluster([ssu(1), ssu(2, { enclosure: 'e2', state: 'failed' })]);
const tree = treeOf(ofTwo.graph, ofTwo.status);
const nothing = { isOpen: () => false };

describe('the boxes of a cluster', () => {
  it('are sites, racks, enclosures, hosts, processes, services and devices, each within the other', () => {
    const path: string[] = [];
    for (let at = tree[0]; at; at = at.within.at(-1)) path.push(`${at.kind} ${at.name}`);
    expect(path).toEqual([
      'site Site 1',
      'rack Rack 1',
      'enclosure Enclosure e2',
      'host ssu2',
      'process ioservice',
      'service IOS',
      'device wwn-2b',
    ]);
  });

  it('have the states of the status, and devices that of their service', () => {
    const byId = thingsById(tree);
    expect(byId.get('host ssu2.acme.org')).toMatchObject({ state: 'failed', detail: 'ssu2.acme.org' });
    expect(byId.get('process 10')).toMatchObject({ name: 'confd', detail: '41:10', state: 'online' });
    expect(byId.get('device wwn-1a')).toMatchObject({ state: 'online' });
  });

  it('count what is in them at any depth', () => {
    expect(tree[0]!.counts).toEqual({ rack: 1, enclosure: 2, host: 2, process: 4, service: 4, device: 4 });
  });

  it('end with hosts that stand nowhere in the facts', () => {
    const { graph, status } = aCluster([ssu(1), { host: 'added.acme.org' }]);
    const last = treeOf(graph, status).at(-1)!;
    expect(last.within.map(({ name }) => name)).toEqual(['added']);
    expect(lossOf(last)).toBeUndefined();
  });

  it('are all open in a small cluster, and those of a large one down to a level that can be read', () => {
    expect(rowsOf(tree, (id) => openAtFirst(tree).has(id))).toHaveLength(18);
    const many = aCluster(Array.from({ length: 100 }, (_, n) => ssu(n, { enclosure: `e${n >> 3}` })));
    const large = treeOf(many.graph, many.status);
    const seen = rowsOf(large, (id) => openAtFirst(large).has(id));
    expect(Object.fromEntries(byKind(seen.map(({ thing }) => thing.id)))).toEqual({ site: 1, rack: 1, enclosure: 13, host: 100 });
  });

  it('are never more at first than a person takes in, unless the outermost already are', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 60 });
    fc.assert(
      fc.property(sizes, (processes) => {
        const hosts = processes.map((n, at) => ({
          host: `h${at}`,
          enclosure: `e${at % 5}`,
          processes: Array.from({ length: n }, (_, p) => ({ fid: `${at}.${p}` })),
        }));
        const { graph, status } = aCluster(hosts);
        const things = treeOf(graph, status);
        const open = openAtFirst(things);
        expect(rowsOf(things, (id) => open.has(id)).length).toBeLessThanOrEqual(boxesAtFirst);
      }),
    );
  });

  it('are found by any part of a name, an endpoint, a fid or a WWN, in any case', () => {
    expect(matching(tree, 'SSU2')).toEqual(['host ssu2.acme.org']);
    expect(matching(tree, 'wwn-1')).toEqual(['device wwn-1a', 'device wwn-1b']);
    expect(matching(tree, '  ')).toEqual([]);
  });
});

describe('keys in the tree', () => {
  const rows = (open: readonly string[]) => rowsOf(tree, (id) => open.includes(id));
  const at = (id: string, key: string, open: readonly string[]) => stepOf(rows(open), id, key, (one) => open.includes(one));

  it('walk what can be seen, open and close, go in and out, and pick', () => {
    expect(at('site 1', 'ArrowRight', [])).toEqual({ open: true });
    expect(at('site 1', 'ArrowRight', ['site 1'])).toEqual({ to: 'rack 1/1' });
    expect(at('rack 1/1', 'ArrowLeft', ['site 1'])).toEqual({ to: 'site 1' });
    expect(at('site 1', 'ArrowLeft', ['site 1'])).toEqual({ open: false });
    expect(at('site 1', 'ArrowDown', ['site 1'])).toEqual({ to: 'rack 1/1' });
    expect(at('site 1', 'End', ['site 1', 'rack 1/1'])).toEqual({ to: 'enclosure e2' });
    expect(at('site 1', 'Enter', [])).toEqual({ picks: true });
  });

  it('mean nothing at the ends, or where a box holds nothing', () => {
    expect(at('site 1', 'ArrowUp', [])).toBeUndefined();
    expect(at('site 1', 'ArrowLeft', [])).toBeUndefined();
    expect(at('site 1', 'x', [])).toBeUndefined();
    expect(stepOf([], 'site 1', 'Home', nothing.isOpen)).toBeUndefined();
  });
});

describe('what a thing touches', () => {
  const ways = waysOf(ofTwo.graph);

  it('is what holds it, what it holds, and the pools with devices of it; never what holds everything', () => {
    const { above, below, pools } = touchedBy(ways, 'process 11');
    expect([...above]).toEqual(['mero-node ssu1.acme.org', 'host ssu1.acme.org', 'enclosure e1', 'rack 1/1', 'site 1']);
    expect([...below].sort()).toEqual(['device wwn-1a', 'device wwn-1b', 'service s11']);
    expect([...pools]).toEqual(['pool p1']);
    expect([...above].some((id) => id.startsWith('zone') || id.startsWith('root'))).toBe(false);
  });

  it('is for a pool its devices, and for a device its pool', () => {
    expect(Object.fromEntries(byKind(touchedBy(ways, 'pool p1').below))).toEqual({ device: 4 });
    expect(touchedBy(ways, 'device wwn-2a').above.has('pool p1')).toBe(true);
  });

  it('is also what is related to it otherwise, with the way the relation goes', () => {
    const watches = { from: 'instance supervisor@n1', relation: 'watches', to: 'instance shop@n1' } as const;
    const related = waysOf({ vertices: ofTwo.graph.vertices, edges: [...ofTwo.graph.edges, watches] });
    expect(touchedBy(related, watches.from).beside).toEqual([{ id: watches.to, relation: 'watches', out: true }]);
    expect(touchedBy(related, watches.to).beside).toEqual([{ id: watches.from, relation: 'watches', out: false }]);
  });

  it('is mutual: what one thing holds is held by it, in any cluster', () => {
    for (const { thing } of rowsOf(tree, () => true))
      for (const below of touchedBy(ways, thing.id).below) expect(touchedBy(ways, below).above).toContain(thing.id);
  });
});

describe('the levels', () => {
  const status = { ...ofTwo.status, disposition: 'ONLINE', level: 2, reached: 1, managed: { all: 6, online: 5, running: 5 } } as const;

  it('count their processes, and what is left of the managed ones is applications', () => {
    expect(rungsOf(status).map(({ level, online, all, standing }) => [level, online, all, standing])).toEqual([
      [3, 1, 2, 'to come'],
      [2, 0, 0, 'under way'],
      [1, 2, 2, 'reached'],
      [0, 2, 2, 'reached'],
    ]);
  });

  it('say how far what they wait for is', () => {
    expect(rungsOf(status)[2]!.needs).toMatch(/: 2 of 2 online, no principal$/);
    expect(rungsOf({ ...status, principal: '0x73:1' })[2]!.needs).toMatch(/principal chosen$/);
  });

  it('go down from the top when the cluster must be OFFLINE', () => {
    const stopping = rungsOf({ ...status, disposition: 'OFFLINE', level: 0, reached: 1 });
    expect(stopping.map(({ standing }) => standing)).toEqual(['off', 'off', 'going down', 'going down']);
  });

  it('say what a loss would take of each', () => {
    const rungs = rungsOf(status, { levels: [{ level: 0, lost: 1, of: 2 }] });
    expect(rungs.map(({ lost }) => lost)).toEqual([0, 0, 0, 1]);
  });
});

describe('a loss', () => {
  it('takes a host with all that is in it, and a place whose hosts all go', () => {
    const gone = goneWith(tree, new Set(['ssu1.acme.org']));
    expect([...gone]).toContain('enclosure e1');
    expect([...gone]).toContain('device wwn-1b');
    expect([...gone].some((id) => ['site 1', 'rack 1/1', 'enclosure e2', 'host ssu2.acme.org'].includes(id))).toBe(false);
    expect(goneWith(tree, new Set(['ssu1.acme.org', 'ssu2.acme.org'])).has('site 1')).toBe(true);
  });

  it('is named as a preview takes it: a host by its name, a place by its kind', () => {
    const named = (thing: Pick<Thing, 'id' | 'kind'>) => lossOf(thing);
    expect(named({ id: 'host ssu1.acme.org', kind: 'host' })).toBe('ssu1.acme.org');
    expect(named({ id: 'rack 1/2', kind: 'rack' })).toBe('rack=1/2');
    expect(named({ id: 'process 10', kind: 'process' })).toBeUndefined();
  });

  it('may be of a label, of which the most frequent come first', () => {
    const nodes = [{ labels: { rack: 'r12' } }, { labels: { rack: 'r2' } }, { labels: { rack: 'r12', row: 'a' } }];
    expect(labelsOf(nodes)).toEqual([
      ['rack=r12', 2],
      ['rack=r2', 1],
      ['row=a', 1],
    ]);
  });
});
