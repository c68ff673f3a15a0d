import { describe, expect, test } from 'vitest';
import type { RowRef } from '../../../lib/core/decision.ts';
import { fidOf } from '../../../lib/core/fid.ts';
import { Fqdn, NodeId, ZoneName } from '../../../lib/core/ids.ts';
import { dangling, type Fragment, joined } from '../../../lib/graph/graph.ts';
import { pathBetween, walkable } from '../../../lib/graph/walk.ts';
import type { MeroNode } from '../../../lib/mero/nodes/mero-node.ts';
import type { MeroProcess, ProcessDevices } from '../../../lib/mero/processes/process.ts';
import { keyOf, listOf } from '../../../lib/ports/table/keys.ts';
import { aRow, noon, put } from '../../../tools/support/a-row.ts';
import { aShell, type TestShell } from '../../../tools/support/a-shell.ts';
import { adminCall } from '../../../tools/support/admin-call.ts';
import { aClient, aNode } from '../../../tools/support/builders.ts';
import { fabricatedFacts } from '../../../tools/support/facts/fabricated.ts';
import { aStorageZone, goodFacts, load } from '../../../tools/support/loading.ts';
import { asOperator } from '../../../tools/support/operator.ts';

const zone = ZoneName.parse('lab');
const fqdn = Fqdn.parse('ssu1.acme.org');
const fid = { node: fidOf('node', 1), process: fidOf('process', 2), service: fidOf('service', 3), device: fidOf('device', 4) };

const store = (shell: TestShell, ref: RowRef, body: object) => {
  const list = listOf(ref, body);
  return shell.table.commit([put(aRow({ ...keyOf(ref), body, ...(list && { list }) }))]);
};

const meroNode: MeroNode = { fid: fid.node, zone, fqdn, processes: [fid.process] };
const process: MeroProcess = {
  fid: fid.process,
  zone,
  host: fqdn,
  type: { tag: 'PLM0d', contents: 1 },
  endpoint: '10.0.0.1@tcp:12345:41:401',
  memory: {},
  cores: [],
  environment: [],
  services: [{ fid: fid.service, type: 'CST_IOS' }],
  devices: 1,
  state: { is: 'offline' },
  since: noon,
  start: 0,
};
const disk = { fid: fid.device, wwn: 'wwn-0x1', serial: 'Z1', path: '/dev/sda', blockSize: 4096, size: 8e12 };
const devices: ProcessDevices = { services: [{ service: fid.service, devices: [disk] }] };

/**
 * A storage zone with a node, a process with a device on it, and what a load left behind that never came to its end.
 */
async function aLab(): Promise<TestShell> {
  const shell = aShell();
  await adminCall(shell, 'zones', asOperator, { name: zone, kind: 'storage' });
  const node = aNode({ id: NodeId.parse('n0123456789abcdef'), fqdn, zone, kind: 'storage' });
  await store(shell, { noun: 'node', id: node.id }, node);
  await store(shell, { noun: 'mero-node', id: `${zone}/${fqdn}` }, meroNode);
  await store(shell, { noun: 'process', id: `${zone}/${fid.process}` }, process);
  await store(shell, { noun: 'devices', id: `${zone}/${fid.process}` }, devices);
  const half = fidOf('process', 9);
  await store(shell, { noun: 'process', id: `${zone}/${half}` }, { ...process, fid: half, load: 'given up' });
  return shell;
}

/** All pages of a graph, in pages of so many. */
async function graphOf(shell: TestShell, query: string, limit = 200): Promise<Fragment> {
  const pages: Fragment[] = [];
  let cursor = '';
  do {
    const { status, body } = await adminCall(shell, `zones/${zone}/graph?limit=${limit}${query}${cursor}`, asOperator);
    expect(status).toBe(200);
    pages.push(body as unknown as Fragment);
    cursor = body['next'] === undefined ? '' : `&cursor=${encodeURIComponent(body['next'])}`;
  } while (cursor !== '');
  return joined(pages);
}

describe('the graph of a storage zone', () => {
  test('is whole: every edge has both its ends, and what a load left behind is not in it', async () => {
    const graph = await graphOf(await aLab(), '&devices=true');
    expect(dangling(graph)).toEqual([]);
    expect(graph.vertices.map(({ id }) => id)).toEqual([
      ...['zone lab', 'root 0x7400000000000001:0x0', 'host ssu1.acme.org', 'node n0123456789abcdef', 'mero-node ssu1.acme.org'],
      ...[`process ${fid.process}`, `service ${fid.service}`, `device ${disk.wwn}`],
    ]);
  });

  test('is the same in pages of one, and has devices only where they are asked for', async () => {
    const shell = await aLab();
    expect(await graphOf(shell, '', 1)).toEqual(await graphOf(shell, ''));
    expect(JSON.stringify(await graphOf(shell, ''))).not.toContain('device');
  });

  test('has the client systems where they are asked for, each with where it lives', async () => {
    const shell = await aLab();
    const client = aClient({ zone });
    await store(shell, { noun: 'client', id: client.fp }, client);
    expect((await graphOf(shell, '')).vertices.some(({ kind }) => kind === 'system')).toBe(false);
    const graph = await graphOf(shell, '&systems=true', 7);
    expect(dangling(graph)).toEqual([]);
    expect(graph.edges).toContainEqual({ from: 'zone lab', relation: 'has', to: `system ${client.fp}` });
  });

  test('is not given on by a cursor of another one', async () => {
    const shell = await aLab();
    const { body } = await adminCall(shell, `zones/${zone}/graph?limit=1`, asOperator);
    const cursor = encodeURIComponent(body['next']!);
    expect((await adminCall(shell, `zones/${zone}/graph?limit=1&devices=true&cursor=${cursor}`, asOperator)).problem).toBe('bad-cursor');
  });
});

test('the graph of loaded facts has where hosts stand, and pools and profiles, and is whole', async () => {
  const shell = aShell();
  const lab = await aStorageZone(shell, zone);
  const { cut, expansion } = goodFacts(fabricatedFacts({ servers: 3, devicesEach: 4 }));
  await load(shell, lab, cut);
  const graph = await graphOf(shell, '&devices=true', 5);
  expect(dangling(graph)).toEqual([]);
  const count = (kind: string): number => graph.vertices.filter((vertex) => vertex.kind === kind).length;
  expect([count('host'), count('mero-node'), count('device')]).toEqual([3, 3, 12]);
  expect([count('pool'), count('profile'), count('site')]).toEqual([
    expansion.pools.length,
    expansion.profiles.length,
    expansion.sites.length,
  ]);
  const walk = walkable(graph);
  for (const { id } of graph.vertices) expect(pathBetween(walk, 'zone lab', id), id).toBeDefined();
  expect(dangling(await graphOf(shell, ''))).toEqual([]);
});
