import { isSame, type PlannedChange, type RowRef, write } from '../../core/decision.ts';
import { type Fid, readFid } from '../../core/fid.ts';
import type { ZoneName } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { isLive, type StorageCluster } from '../clusters/cluster.ts';
import type { ExpandedProcess } from '../facts/expand/processes.ts';
import type { ExpandedPart } from '../facts/load/check.ts';
import { type EndpointHolder, type MeroNode, meroNodeId, meroNodeRef } from '../nodes/mero-node.ts';
import { devicesRef, type MeroProcess, type ProcessDevices, processId, processRef } from '../processes/process.ts';

/** A row that a load writes; each row names its load. */
export type LoadRow = { readonly ref: RowRef } & (
  | { readonly is: 'node'; readonly body: MeroNode }
  | { readonly is: 'process'; readonly body: MeroProcess }
  | { readonly is: 'devices'; readonly body: ProcessDevices }
  | { readonly is: 'endpoint'; readonly body: EndpointHolder }
);

type ZoneLoad = { readonly zone: ZoneName; readonly load: string };

/** The rows of a part: its host, and three for each process, without the row of devices if it has none. */
export function rowsOf({ node: fid, part, processes }: ExpandedPart, { zone, load }: ZoneLoad, now: EpochMs): LoadRow[] {
  const { m0h_fqdn: fqdn, lnid, m0h_processes: _those, ...rest } = part.server;
  const variables = given(rest);
  const node: MeroNode = {
    fid,
    zone,
    fqdn,
    ...(lnid !== undefined && { lnid }),
    ...(Object.keys(variables).length > 0 && { variables }),
    processes: processes.map((process) => process.fid),
    load,
  };
  return [
    { is: 'node', ref: meroNodeRef(meroNodeId(node)), body: node },
    ...processes.flatMap((process) => rowsOfProcess(process, node, { zone, load }, now)),
  ];
}

function rowsOfProcess(process: ExpandedProcess, { fqdn: host }: MeroNode, { zone, load }: ZoneLoad, now: EpochMs): LoadRow[] {
  const id = processId({ zone, fid: process.fid });
  const services = process.services.map(({ fid: service, devices }) => ({ service, devices: devices.map(given) }));
  const devices = services.reduce((sum, service) => sum + service.devices.length, 0);
  const body: MeroProcess = {
    fid: process.fid,
    zone,
    host,
    type: process.type,
    endpoint: process.endpoint,
    memory: given(process.memory),
    cores: [...process.cores],
    environment: [...process.environment],
    services: process.services.map(({ fid, type }) => ({ fid, type })),
    devices,
    load,
    state: { is: 'unknown' },
    since: now,
    start: 0,
  };
  return [
    { is: 'process', ref: processRef(id), body },
    ...(devices > 0 ? [{ is: 'devices' as const, ref: devicesRef(id), body: { load, services } }] : []),
    { is: 'endpoint', ref: { noun: 'endpoint', id: `${zone}/${process.endpoint}` }, body: { process: process.fid, load } },
  ];
}

/** The members that are given: rows have no members that are undefined. */
const given = <T extends object>(of: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as { [K in keyof T]: Exclude<T[K], undefined> };

/** A row as it was read. */
export type ReadState = { readonly rev: number; readonly state: unknown };

/**
 * The changes that write rows over existing ones, or why that cannot be, in words. A row that already has the same
 * content is left alone.
 */
export type RowsPlan = { readonly changes: readonly PlannedChange[]; readonly conflicts: readonly string[] };

/**
 * Plans rows over existing ones: those of the same load stay, those of a load that never becomes visible are
 * overwritten, and those in use are conflicts.
 */
export function planRows(rows: readonly LoadRow[], read: readonly ReadState[], cluster: StorageCluster): RowsPlan {
  const changes: PlannedChange[] = [];
  const conflicts: string[] = [];
  rows.forEach((row, n) => {
    const { rev, state } = read[n]!;
    const outcome = over(row, state as LoadRow['body'] | undefined, cluster);
    if (typeof outcome === 'string') conflicts.push(outcome);
    else if (outcome) changes.push({ ref: row.ref, readRev: rev, decision: write(outcome, 'facts are loaded') });
  });
  return { changes, conflicts };
}

/** The state to store, undefined if it is there already, or what stands in the way. */
function over(row: LoadRow, there: LoadRow['body'] | undefined, cluster: StorageCluster): LoadRow['body'] | string | undefined {
  if (!there) return row.body;
  if (there.load !== row.body.load) return isLive(there, cluster) ? `${named(row)} is in the cluster already` : row.body;
  switch (row.is) {
    case 'node':
      return overNode(row.body, there as MeroNode);
    case 'process':
      return isSame({ ...there, since: 0 }, { ...row.body, since: 0 })
        ? undefined
        : `${named(row)} was handed in before with other content`;
    case 'devices':
      return isSame(there, row.body) ? undefined : `${named(row)} were handed in before with other content`;
    case 'endpoint': {
      const { process } = there as EndpointHolder;
      return process === row.body.process ? undefined : `${named(row)} belongs to process ${process} already`;
    }
  }
}

/** A host whose processes come in several parts has all of them at the end, in the order of their numbers. */
function overNode(body: MeroNode, there: MeroNode): MeroNode | string | undefined {
  const { processes, ...rest } = body;
  const { processes: known, ...before } = there;
  if (!isSame(before, rest)) return `host ${body.fqdn} was handed in before with other content`;
  const all = [...new Set([...known, ...processes])].sort((a, b) => numberOf(a) - numberOf(b));
  return all.length === known.length ? undefined : { ...body, processes: all };
}

const numberOf = (fid: Fid): number => readFid(fid)!.key;

function named({ is, ref, body }: LoadRow): string {
  switch (is) {
    case 'node':
      return `host ${body.fqdn}`;
    case 'process':
      return `process ${body.fid}`;
    case 'devices':
      return `the devices of process ${ref.id.slice(ref.id.indexOf('/') + 1)}`;
    case 'endpoint':
      return `endpoint ${ref.id.slice(ref.id.indexOf('/') + 1)}`;
  }
}
