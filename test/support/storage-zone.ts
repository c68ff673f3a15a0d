import { write } from '../../lib/core/decision.ts';
import { type Fqdn, NodeId } from '../../lib/core/ids.ts';
import { clusterRef, newCluster, type StorageCluster } from '../../lib/mero/clusters/cluster.ts';
import { meroNodeId } from '../../lib/mero/nodes/mero-node.ts';
import { type MeroProcess, type ProcessDevices, processId } from '../../lib/mero/processes/process.ts';
import type { NodeStatus } from '../../lib/nodes/node.ts';
import { keyOf } from '../../lib/ports/table/keys.ts';
import { contentOf } from '../../lib/runtime/content.ts';
import { aShell, type TestShell } from '../../tools/support/a-shell.ts';
import { adminCall } from '../../tools/support/admin-call.ts';
import { aNode, noon } from '../../tools/support/builders.ts';
import { asOperator } from '../../tools/support/operator.ts';
import { hostsOf, storageZone } from './mero.ts';

/** That something was loaded. */
export const loaded = { load: 'l1', identity: 'i', at: noon, size: { nodes: 1, processes: 3, services: 5, devices: 0 } };

/** What stands in a storage zone: its cluster, processes with their devices, and nodes by the names of their hosts. */
export type Stands = {
  readonly cluster?: Partial<StorageCluster>;
  readonly processes?: readonly MeroProcess[];
  readonly nodes?: Readonly<Record<string, NodeStatus>>;
  readonly stopped?: readonly string[];
  readonly devices?: readonly (readonly [MeroProcess, ProcessDevices])[];
};

/** Stores a row as it is, over what there is. */
export async function store({ table, now }: Pick<TestShell, 'table' | 'now'>, noun: string, id: string, body: unknown): Promise<void> {
  const ref = { noun, id };
  const row = await table.read(keyOf(ref));
  const put = contentOf(ref, row, write<unknown, never>(body, 'a test says so'), { by: 'test', at: now(), exact: true })!;
  await table.commit([{ put, readRev: row?.rev ?? 0 }]);
}

/** A deployment with the storage zone of the tests, and what stands in it. */
export async function aStorageZone({ cluster, processes = [], nodes = {}, stopped = [], devices = [] }: Stands): Promise<TestShell> {
  const shell = aShell();
  await adminCall(shell, 'zones', asOperator, { name: storageZone, kind: 'storage' });
  await store(shell, 'cluster', storageZone, { ...newCluster(storageZone, noon), ...cluster });
  for (const host of hostsOf(processes)) {
    const isStopped = stopped.includes(host.fqdn);
    await store(shell, 'mero-node', meroNodeId(host), { ...host, ...(isStopped && { stopped: true }) });
  }
  for (const process of processes) await store(shell, 'process', processId(process), process);
  for (const [process, its] of devices) await store(shell, 'devices', processId(process), its);
  for (const [n, [fqdn, status]] of Object.entries(nodes).entries()) {
    const id = NodeId.parse(`n${(n + 1).toString(16).padStart(16, '0')}`);
    await store(shell, 'node', id, aNode({ id, status, zone: storageZone, kind: 'storage', fqdn: fqdn as Fqdn, index: n }));
    await store(shell, 'fqdn', fqdn, { node: id });
  }
  return shell;
}

/** The storage cluster's row. */
export const clusterRow = async ({ table }: Pick<TestShell, 'table'>) => (await table.read(keyOf(clusterRef(storageZone))))!;
