import type { EndpointHolder, MeroNode } from '../../../../lib/mero/nodes/mero-node.ts';
import type { MeroProcess } from '../../../../lib/mero/processes/process.ts';
import type { Row } from '../../../../lib/ports/table/table.ts';
import type { Invariant } from '../invariant.ts';
import { type ClusterRows, Clusters, clusterIn, liveIn } from '../process-rows.ts';

/**
 * What does not fit together in a cluster as its readers see it, in words: a process without its endpoint, its devices
 * or its host, a host with processes that are not there, a fid that was never given. What is of no load that counts is
 * nobody's, and may be in any state.
 */
export function clusterFaults(rows: ClusterRows): string[] {
  if (!clusterIn(rows)) return [];
  const of = (kind: Parameters<typeof liveIn>[1]): readonly Row[] => liveIn(rows, kind);
  const processes = of('process').map(({ body }) => body as MeroProcess);
  const nodes = new Map(of('node').map(({ body }) => [(body as MeroNode).fqdn as string, body as MeroNode]));
  const holders = new Map(
    of('endpoint').map(({ key, body }) => [decodeURIComponent(key.sk.split('#')[1]!), (body as EndpointHolder).process]),
  );
  const devices = new Set(of('devices').map(({ key }) => decodeURIComponent(key.sk.split('#')[2]!)));
  const fids = new Set<string>(processes.map(({ fid }) => fid));
  const last = (rows.get('fids')?.body as { last: number } | undefined)?.last ?? 0;
  return [
    ...processes.flatMap(({ fid, endpoint, host, devices: many }) => [
      ...(holders.get(endpoint) === fid ? [] : [`process ${fid} does not hold its endpoint ${endpoint}`]),
      ...(many === 0 || devices.has(fid) ? [] : [`the devices of process ${fid} are not there`]),
      ...(nodes.get(host)?.processes.includes(fid) ? [] : [`host ${host} does not know its process ${fid}`]),
      ...(Number(fid.split(':')[1]) <= last ? [] : [`process ${fid} has a number beyond ${last}`]),
    ]),
    ...[...nodes.values()].flatMap(({ fqdn, processes: own }) =>
      own.filter((fid) => !fids.has(fid)).map((fid) => `host ${fqdn} has process ${fid}, which is not there`),
    ),
  ];
}

/** Readers see all of a load or nothing, and what is removed as garbage was of use to nobody. */
export const clusters: Invariant = {
  name: 'clusters-are-whole',
  says: 'a process that readers of a storage cluster see holds its endpoint, has its devices, and is known to its host; a host has no process that is not there; fids are below what was given',
  begin: ({ violated }) => {
    const clusters = new Clusters();
    return {
      committed: (changes) => {
        for (const pk of clusters.take(changes)) for (const fault of clusterFaults(clusters.rows.get(pk)!)) violated(fault);
      },
    };
  },
};
