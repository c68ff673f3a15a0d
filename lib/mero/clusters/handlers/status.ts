import type { AdminCall } from '../../../access/verify-admin.ts';
import { type Fid, readFid } from '../../../core/fid.ts';
import type { EpochMs } from '../../../core/time.ts';
import type { Node } from '../../../nodes/node.ts';
import { stateOf } from '../../../runtime/content.ts';
import { cursorAt, positionOf } from '../../../runtime/cursors.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import { readRows } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { stationsOf } from '../../../stations/reads.ts';
import { haltOf } from '../../../stations/rows/quorum.ts';
import type { Stations } from '../../../stations/stations.ts';
import { runsNow } from '../../levels/levels.ts';
import type { MeroNode } from '../../nodes/mero-node.ts';
import { nodeStateText } from '../../nodes/rows/words.ts';
import { bootLevel, devicesRef, type MeroProcess, type ProcessDevices, processId } from '../../processes/process.ts';
import { displayedProcess } from '../../processes/rows/shown.ts';
import { processStateText, typeText } from '../../processes/words.ts';
import { isLate, planLevels } from '../plan.ts';
import { type ClusterNow, nodesByName, readCluster } from '../reads/cluster.ts';
import { type ClusterLayout, layoutOf, noLayout } from '../reads/layout.ts';
import { levelProcesses } from '../reads/levels.ts';
import { clusterOf } from '../reads/of-caller.ts';
import { awaitedMax, type MeroHostStatus, type MeroStatus } from '../routes.ts';

/** A cluster, the nodes of its hosts by the names of these, and the stations of its zone. */
type Seen = ClusterNow & { readonly nodes: ReadonlyMap<string, Node>; readonly stations: Stations | undefined };

/**
 * How many processes a page has at most, give or take a host: an answer of 4 MB, of the 6 that a function may return.
 */
const pageProcessesMax = 5_000;
/** The same with devices: a host has up to a hundred of them. */
const pageDevicesMax = 10_000;

/** The status of a storage cluster now, with its hosts page by page. Each page also has the summary of the whole. */
export async function meroStatus({ params, query, caller }: AdminCall<'meroStatus'>, shell: Shell): Promise<Answer> {
  const { cluster } = await clusterOf(shell, params.zone, caller);
  const signature = `mero ${params.zone}`;
  const after = await positionOf(shell, query.cursor, signature);
  const [read, nodes, stations, layout] = await Promise.all([
    readCluster(shell, params.zone),
    nodesByName(shell, params.zone),
    cluster.stations ? stationsOf(shell, params.zone) : undefined,
    query.summary === 'true' ? noLayout : layoutOf(shell, cluster),
  ]);
  const seen: Seen = { ...(read ?? { cluster, rev: 0, meroNodes: new Map(), processes: [] }), nodes, stations };
  const whole = summaryOf(seen, layout, shell.now());
  if (query.summary === 'true') return { status: 200, body: whole };
  const page = pageOf(seen, after === undefined ? 0 : Number(after), query);
  const devices = query.devices === 'true' ? await devicesOf(shell, page.processes) : undefined;
  const hosts = page.hosts.map((host) => hostStatus(host, page.processesOf.get(host.fqdn) ?? [], seen, devices));
  const next = page.next === undefined ? {} : { next: await cursorAt(shell, String(page.next), signature) };
  return { status: 200, body: { ...whole, hosts, ...next } satisfies MeroStatus };
}

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** The summary of a cluster as a whole. */
function summaryOf(seen: Seen, { pools, profiles }: ClusterLayout, now: EpochMs): MeroStatus {
  const { cluster } = seen;
  const processes = levelProcesses(seen, seen.nodes);
  const halt = haltOf(seen.stations, now);
  const { awaited, decision } = planLevels(cluster, processes, now, halt);
  // The next check would only record what is already reached, so the status has it now. A new principal, or the step to
  // another level, is for that check to decide.
  const { reached, underWaySince } = decision.does === 'write' && decision.next.level === cluster.level ? decision.next : cluster;
  const { zone, disposition, level, levelSince, principal, loaded } = cluster;
  const managed = processes.filter((process) => bootLevel(process) !== undefined);
  const unheard = managed.filter(({ state }) => state === 'inhibited').length;
  return {
    zone,
    disposition,
    coordinator: halt === undefined ? (seen.stations?.coordinator?.host ?? 'muster') : 'muster',
    ...(halt !== undefined && { noQuorum: `${halt}; hosts stay suspect, levels stay as they are, and no new host is taken in` }),
    level,
    levelSince: iso(levelSince),
    reached,
    because: decision.because,
    ...(underWaySince !== undefined && { underWay: { since: iso(underWaySince), late: isLate(cluster, now) } }),
    waitingFor: awaited.slice(0, awaitedMax).map(({ fid, host, state }) => ({ process: fid, host, state })),
    waiting: awaited.length,
    managed: {
      all: managed.length,
      online: managed.filter(({ state }) => state === 'online').length,
      running: managed.filter(runsNow).length,
    },
    ...(unheard > 0 && { unheard }),
    ...(loaded && { loaded: { load: loaded.load, at: iso(loaded.at), ...loaded.size } }),
    ...(principal !== undefined && { principal }),
    pools: pools.map(({ fid, id }) => ({ fid, id })),
    profiles: [...profiles],
  };
}

/** Some hosts in the order of their fids, from the n-th on, with the processes of each in the order of theirs. */
type Page = {
  readonly hosts: readonly MeroNode[];
  readonly processes: readonly MeroProcess[];
  readonly processesOf: ReadonlyMap<string, readonly MeroProcess[]>;
  readonly next: number | undefined;
};

function pageOf(
  { meroNodes, processes }: Seen,
  after: number,
  { limit, devices }: { readonly limit: number; readonly devices: string },
): Page {
  const processesOf = Map.groupBy(processes, ({ host }) => host as string);
  const rest = [...meroNodes.values()].sort((a, b) => numberOf(a.fid) - numberOf(b.fid)).filter(({ fid }) => numberOf(fid) > after);
  const hosts: MeroNode[] = [];
  let room = devices === 'true' ? pageDevicesMax : pageProcessesMax;
  for (const host of rest.slice(0, limit)) {
    if (room <= 0) break;
    hosts.push(host);
    for (const process of processesOf.get(host.fqdn) ?? []) room -= devices === 'true' ? 1 + process.devices : 1;
  }
  const last = hosts.at(-1);
  return {
    hosts,
    processes: hosts.flatMap(({ fqdn }) => processesOf.get(fqdn) ?? []),
    processesOf,
    next: last && hosts.length < rest.length ? numberOf(last.fid) : undefined,
  };
}

const numberOf = (fid: Fid): number => readFid(fid)!.key;

/** The devices of processes that have some, by the fids of these. */
async function devicesOf(shell: Shell, processes: readonly MeroProcess[]): Promise<ReadonlyMap<Fid, ProcessDevices>> {
  const owners = processes.filter(({ devices }) => devices > 0);
  const rows = await readRows(
    shell,
    owners.map((process) => devicesRef(processId(process))),
  );
  return new Map(
    owners.flatMap(({ fid }, n): [Fid, ProcessDevices][] => {
      const devices = stateOf(rows[n], shell.now());
      return devices ? [[fid, devices]] : [];
    }),
  );
}

function hostStatus(
  host: MeroNode,
  processes: readonly MeroProcess[],
  seen: Seen,
  devices?: ReadonlyMap<Fid, ProcessDevices>,
): MeroHostStatus {
  const { fid, fqdn, stopped } = host;
  const node = seen.nodes.get(fqdn);
  return {
    fid,
    ...nodeStateText(node?.status, stopped === true),
    host: fqdn,
    ...(node && { node: node.id, status: node.status }),
    ...(seen.stations?.hosts.includes(fqdn) && { station: true as const }),
    processes: processes.map((process) => processStatus(process, host, seen, devices?.get(process.fid))),
  };
}

function processStatus(process: MeroProcess, meroNode: MeroNode, { cluster, nodes }: Seen, devices: ProcessDevices | undefined) {
  const displayed = displayedProcess(process, { node: nodes.get(process.host), cluster, meroNode, devices });
  const services = displayed.services.map(({ devices: own, ...service }) => ({
    ...service,
    ...(own && { devices: own.map(({ fid, state, path, wwn }) => ({ fid, state, path, wwn })) }),
  }));
  return { fid: process.fid, ...processStateText(displayed.state), endpoint: process.endpoint, type: typeText(process), services };
}
