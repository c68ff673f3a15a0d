import type { AdminCall } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import { write } from '../../core/decision.ts';
import { clusterPartition, clusterRange, keyOf, loadRange } from '../../ports/table/keys.ts';
import type { Page, Row } from '../../ports/table/table.ts';
import { apply } from '../../runtime/apply.ts';
import { stateOf } from '../../runtime/content.ts';
import { cursorAt, positionOf } from '../../runtime/cursors.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { readAll } from '../../runtime/read-all.ts';
import type { Shell } from '../../runtime/shell.ts';
import { clusterRef, isLive, newCluster, type StorageCluster } from '../clusters/cluster.ts';
import { numbered, partOf } from '../clusters/dump.ts';
import { clusterOf } from '../clusters/reads/of-caller.ts';
import type { Layout } from '../loads/load.ts';
import type { MeroNode } from '../nodes/mero-node.ts';
import { devicesRef, type MeroProcess, type ProcessDevices, processId, processRef } from '../processes/process.ts';
import type { LayoutPage, ServerPart } from './load/parts.ts';

/** How much an answer holds, in bytes of JSON: the next answer has the rest. A single host may exceed it. */
const answerBytes = 1_000_000;
/** How many hosts are read for one answer. */
const hostsAtOnce = 50;

type Part = { readonly pages: readonly LayoutPage[]; readonly servers: readonly ServerPart[]; readonly next?: string | undefined };

/**
 * A part of the facts of a cluster: first the pages, then the hosts by name. Throws a {@link Refusal} while nothing is
 * loaded.
 */
export async function getMeroFacts({ params, query, caller }: AdminCall<'getMeroFacts'>, shell: Shell): Promise<Answer> {
  const { cluster } = await clusterOf(shell, params.zone, caller);
  if (!cluster.loaded) throw new Refusal('refused', `zone ${params.zone} has no facts: load some first`);
  const signature = `facts of ${params.zone} ${cluster.loaded.load}`;
  const position = await positionOf(shell, query.cursor, signature);
  const { pages, servers, next } = position?.startsWith('node')
    ? await hostsAfter(shell, cluster, position)
    : await pagesAfter(shell, cluster, position);
  return { status: 200, body: { pages, servers, ...(next !== undefined && { next: await cursorAt(shell, next, signature) }) } };
}

type Range = { readonly from: string; readonly to: string };
const rowsAfter = (shell: Shell, { zone }: StorageCluster, range: Range, limit: number, after: string | undefined): Promise<Page<Row>> =>
  shell.table.query({ pk: clusterPartition(zone), ...range, limit, ...(after !== undefined && { after }) });

async function pagesAfter(shell: Shell, cluster: StorageCluster, after: string | undefined): Promise<Part> {
  const page = await rowsAfter(shell, cluster, loadRange('layout', cluster.loaded!.load), 16, after);
  const pages = page.items.flatMap((row) => {
    const layout = stateOf<Layout>(row, shell.now());
    return layout ? [numbered(layout.page, layout.base)] : [];
  });
  return { pages, servers: [], next: page.next ?? clusterRange('node').from };
}

async function hostsAfter(shell: Shell, cluster: StorageCluster, after: string): Promise<Part> {
  const page = await rowsAfter(shell, cluster, clusterRange('node'), hostsAtOnce, after);
  const servers: ServerPart[] = [];
  let bytes = 0;
  for (const row of page.items) {
    const node = stateOf<MeroNode>(row, shell.now());
    if (!node || !isLive(node, cluster)) continue;
    servers.push(await partWith(shell, cluster, node));
    bytes += JSON.stringify(servers.at(-1)).length;
    if (bytes > answerBytes) return { pages: [], servers, next: row.key.sk };
  }
  return { pages: [], servers, next: page.next };
}

async function partWith(shell: Shell, cluster: StorageCluster, node: MeroNode): Promise<ServerPart> {
  const ids = node.processes.map((fid) => processId({ zone: node.zone, fid }));
  const rows = await readAll(
    shell,
    ids.flatMap((id) => [keyOf(processRef(id)), keyOf(devicesRef(id))]),
  );
  const processes = ids.flatMap((_id, n) => {
    const process = stateOf<MeroProcess>(rows[2 * n], shell.now());
    const devices = stateOf<ProcessDevices>(rows[2 * n + 1], shell.now());
    return process && isLive(process, cluster) ? [{ process, devices }] : [];
  });
  return partOf(node, processes);
}

/**
 * Makes every agent of a cluster read its desired state again. Throws a {@link Refusal} while nothing is loaded, unless
 * forced.
 */
export async function syncMero({ params, body, request, caller }: AdminCall<'syncMero'>, shell: Shell): Promise<Answer> {
  await clusterOf(shell, params.zone, caller);
  const because = 'every agent reads its desired state again';
  await apply(shell, clusterRef(params.zone), request, (stored, _call, now) => {
    const cluster = stored ?? newCluster(params.zone, now);
    if (!cluster.loaded && !body.force) throw new Refusal('refused', `zone ${params.zone} has no facts: there is nothing to sync`);
    return write({ ...cluster, goals: cluster.goals + 1 }, because);
  });
  return { status: 202, body: { done: true, because } };
}
