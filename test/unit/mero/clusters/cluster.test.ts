import { describe, expect, it } from 'vitest';
import { write } from '../../../../lib/core/decision.ts';
import { nodesByName, readCluster } from '../../../../lib/mero/clusters/reads/cluster.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { contentOf } from '../../../../lib/runtime/content.ts';
import { aShell } from '../../../../tools/support/a-shell.ts';
import { aNode, at, nodeFqdn, nodeId, noon } from '../../../../tools/support/builders.ts';
import { aCluster, aMeroNode, aProcess, processFid, storageZone, storeCluster } from '../../../support/mero.ts';

const size = { nodes: 1, processes: 1, services: 1, devices: 0 };
const loaded = { load: 'second', identity: 'i', at: noon, size };

describe('a storage cluster as it is read', () => {
  it('has the hosts and processes of its load and those that were added, in the order of their numbers', async () => {
    const shell = aShell();
    const processes = [
      aProcess({ n: 300, load: 'second' }),
      aProcess({ n: 2 }),
      aProcess({ n: 1, load: 'first' }),
      aProcess({ n: 3, load: 'third' }),
    ];
    const meroNodes = [aMeroNode({ load: 'second' }), aMeroNode({ fqdn: nodeFqdn(2), load: 'third' })];
    await storeCluster(shell.table, processes, { cluster: aCluster({ loaded }), meroNodes });
    const read = (await readCluster(shell, storageZone))!;
    expect(read.cluster).toEqual(aCluster({ loaded }));
    expect(read.processes.map(({ fid }) => fid)).toEqual([processFid(2), processFid(300)]);
    expect([...read.meroNodes.keys()]).toEqual([nodeFqdn(1)]);
  });

  it('has all pages, asks for each once, and none for a zone without a cluster', async () => {
    const shell = aShell();
    const wide = 'x'.repeat(4_000);
    const many = Array.from({ length: 700 }, (_, n) => aProcess({ n: n + 1, environment: [{ name: 'WIDE', value: wide }] }));
    await storeCluster(shell.table, many, { meroNodes: [] });
    let pages = 0;
    const query: typeof shell.table.query = (asked) => {
      pages += 1;
      return shell.table.query(asked);
    };
    const read = await readCluster({ ...shell, table: { ...shell.table, query } }, storageZone);
    expect(read!.processes.map(({ fid }) => fid)).toEqual(many.map(({ fid }) => fid));
    expect(pages).toBe(3 + 1);
    expect(await readCluster(shell, 'another')).toBeUndefined();
  });
});

describe('the nodes of a zone by the names of their hosts', () => {
  it('are the one that is not given up, or else the latest', async () => {
    const shell = aShell();
    const one = (n: number, node: Partial<Node>) => store({ ...aNode(), ...node, id: nodeId(n), zone: storageZone } as Node);
    const store = (node: Node) => {
      const put = contentOf({ noun: 'node', id: node.id }, undefined, write<unknown, never>(node, 'stored'), {
        by: 'test',
        at: noon,
        exact: true,
      })!;
      return shell.table.commit([{ put, readRev: 0 }]);
    };
    await one(1, { ...aNode({ status: 'dropped' }), fqdn: nodeFqdn(1), joinedAt: at(50) });
    await one(2, { fqdn: nodeFqdn(1), joinedAt: at(20) });
    await one(3, { ...aNode({ status: 'dropped' }), fqdn: nodeFqdn(2), joinedAt: at(30) });
    await one(4, { ...aNode({ status: 'dropped' }), fqdn: nodeFqdn(2), joinedAt: at(10) });
    const found = await nodesByName(shell, storageZone);
    expect([...found].map(([name, { id }]) => [name, id])).toEqual([
      [nodeFqdn(1), nodeId(2)],
      [nodeFqdn(2), nodeId(3)],
    ]);
  });
});
