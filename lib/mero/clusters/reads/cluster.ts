import type { Node } from '../../../nodes/node.ts';
import { clusterRange, nodeList } from '../../../ports/table/keys.ts';
import type { Key } from '../../../ports/table/table.ts';
import { stateOf } from '../../../runtime/content.ts';
import { readRow } from '../../../runtime/read.ts';
import { readAll } from '../../../runtime/read-all.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { wholeList } from '../../../runtime/whole-list.ts';
import type { MeroNode } from '../../nodes/mero-node.ts';
import type { MeroProcess } from '../../processes/process.ts';
import { clusterRef, isLive, type StorageCluster } from '../cluster.ts';
import { rowsIn } from './rows.ts';

/**
 * A storage cluster as its readers see it: its row, its hosts by name, and its processes in the order of their numbers.
 */
export type ClusterNow = {
  readonly cluster: StorageCluster;
  readonly rev: number;
  readonly meroNodes: ReadonlyMap<string, MeroNode>;
  readonly processes: readonly MeroProcess[];
};

/** All of a storage cluster, or undefined if there is none. Rows of any load but that of the cluster are left out. */
export async function readCluster(shell: Shell, zone: string): Promise<ClusterNow | undefined> {
  // The rows are read after the row that names their load: a load writes them before that.
  const row = await readRow(shell, clusterRef(zone));
  const cluster = stateOf<StorageCluster>(row, shell.now());
  if (!cluster) return undefined;
  const [meroNodes, processes] = await Promise.all([
    rowsOf<MeroNode>(shell, cluster, 'node'),
    rowsOf<MeroProcess>(shell, cluster, 'process'),
  ]);
  return { cluster, rev: row!.rev, meroNodes: new Map(meroNodes.map((one) => [one.fqdn as string, one])), processes };
}

async function rowsOf<S extends { readonly load?: string | undefined }>(
  shell: Shell,
  cluster: StorageCluster,
  kind: 'node' | 'process',
): Promise<S[]> {
  const states: S[] = [];
  for await (const { body } of rowsIn(shell, cluster.zone, clusterRange(kind))) if (isLive(body as S, cluster)) states.push(body as S);
  return states;
}

/**
 * The nodes of a zone by the names of their hosts. If several nodes had the same name, it is the one that is not given
 * up, or the latest.
 */
export async function nodesByName(shell: Shell, zone: string): Promise<ReadonlyMap<string, Node>> {
  const rows = await readAll(shell, await keysOfNodes(shell, zone), 'lately');
  const found = new Map<string, Node>();
  for (const row of rows) {
    const node = stateOf<Node>(row, shell.now());
    if (node?.zone === zone && comesBefore(node, found.get(node.fqdn))) found.set(node.fqdn, node);
  }
  return found;
}

const comesBefore = (node: Node, other: Node | undefined): boolean => {
  if (!other) return true;
  const [isOut, wasOut] = [node.status === 'dropped', other.status === 'dropped'];
  return isOut === wasOut ? node.joinedAt > other.joinedAt : wasOut;
};

const keysOfNodes = async (shell: Shell, zone: string): Promise<Key[]> => (await wholeList(shell, nodeList(zone))).map(({ key }) => key);
