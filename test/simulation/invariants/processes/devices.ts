import { MeroStatus } from '../../../../lib/mero/clusters/routes.ts';
import type { MeroProcess, ProcessDevices } from '../../../../lib/mero/processes/process.ts';
import type { Invariant } from '../invariant.ts';
import { type ClusterRows, Clusters, clusterIn, liveIn } from '../process-rows.ts';

/** Two services that write one disk destroy what is on it. */
export const oneService: Invariant = {
  name: 'a-device-is-of-one-service',
  says: 'in a storage cluster each device, by its WWN and by its serial, is of one service, which is one of the process that it stands with; and what devices a process has never changes',
  begin: ({ violated }) => {
    const clusters = new Clusters();
    const known = new Map<string, string>();
    return {
      committed: (changes) => {
        for (const pk of clusters.take(changes)) {
          const rows = clusters.rows.get(pk)!;
          if (!clusterIn(rows)) continue;
          for (const fault of sharedIn(rows)) violated(fault);
          for (const { key, body } of liveIn(rows, 'devices')) {
            const [name, text] = [`${pk} ${key.sk} ${(body as ProcessDevices).load}`, JSON.stringify((body as ProcessDevices).services)];
            if ((known.get(name) ?? text) !== text) violated(`the devices of ${key.sk} are others than before`);
            known.set(name, text);
          }
        }
      },
    };
  },
};

function sharedIn(rows: ClusterRows): string[] {
  const services = new Set(liveIn(rows, 'process').flatMap(({ body }) => (body as MeroProcess).services.map(({ fid }) => fid as string)));
  const owners = new Map<string, string>();
  return liveIn(rows, 'devices').flatMap(({ body }) =>
    (body as ProcessDevices).services.flatMap(({ service, devices }) => [
      ...(services.has(service) ? [] : [`${service} has devices, and is of no process`]),
      ...devices.flatMap(({ wwn, serial }) =>
        [wwn, serial].flatMap((name) => {
          const other = owners.get(name);
          owners.set(name, service);
          return other === undefined ? [] : [`device ${name} is of ${other} and of ${service}`];
        }),
      ),
    ]),
  );
}

/**
 * What the services of a process do, and what their devices are then, as the design has it; a service may have failed
 * by itself.
 */
const follows: Readonly<Record<string, string>> = { quiescing: 'inhibited' };
const reached = ['starting', 'online'];

/** Whoever reads a status must not take a disk for reachable that nobody serves. */
export const devicesFollow: Invariant = {
  name: 'devices-follow-their-services',
  says: 'in each status of a storage cluster a service does what its process does, unless it has failed by itself, and its devices are inhibited unless it runs, and online again once it does; all devices that a process has are shown, each once',
  begin: ({ violated }) => {
    const clusters = new Clusters();
    return {
      committed: (changes) => void clusters.take(changes),
      answered: ({ method, path, query, status, body }) => {
        const [, zone] = /^\/api\/v1\/zones\/([^/]+)\/mero$/.exec(path) ?? [];
        if (zone === undefined || method !== 'GET' || status !== 200 || !query.includes('devices=true')) return;
        const rows = clusters.rows.get(`cluster#${zone}`) ?? new Map();
        for (const fault of shownFaults(MeroStatus.parse(JSON.parse(body)), rows)) violated(`the status of ${zone}: ${fault}`);
      },
    };
  },
};

type ShownProcess = NonNullable<MeroStatus['hosts']>[number]['processes'][number];

function shownFaults({ hosts = [] }: MeroStatus, rows: ClusterRows): string[] {
  const counts = new Map(liveIn(rows, 'process').map(({ body }) => [(body as MeroProcess).fid as string, (body as MeroProcess).devices]));
  const processes = hosts.flatMap((host) => host.processes);
  const shown = processes.flatMap(({ services }) => services.flatMap(({ devices = [] }) => devices.map(({ wwn }) => wwn)));
  return [
    ...(new Set(shown).size < shown.length ? ['a device is there twice'] : []),
    ...processes.flatMap((process) => [
      ...(countOf(process) === (counts.get(process.fid) ?? countOf(process))
        ? []
        : [`${process.fid} is shown with ${countOf(process)} devices`]),
      ...process.services.flatMap((service) => serviceFaults(process.state, service)),
    ]),
  ];
}

const countOf = ({ services }: ShownProcess): number => services.reduce((sum, { devices = [] }) => sum + devices.length, 0);

function serviceFaults(process: string, { fid, state, devices = [] }: ShownProcess['services'][number]): string[] {
  const own = follows[process] ?? process;
  const wanted = state === 'unknown' ? 'unknown' : reached.includes(state) ? 'online' : 'inhibited';
  return [
    ...(state === own || state === 'failed' ? [] : [`${fid} is ${state} while its process is ${process}`]),
    ...devices.filter((device) => device.state !== wanted).map((device) => `${device.wwn} is ${device.state} while ${fid} is ${state}`),
  ];
}
