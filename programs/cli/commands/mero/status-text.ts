import type { MeroHostStatus, MeroStatus } from '../../../../lib/mero/clusters/routes.ts';
import { printable } from '../../output/printable.ts';

type Process = MeroHostStatus['processes'][number];
type Service = Process['services'][number];
type Device = NonNullable<Service['devices']>[number];

/** A status in the columns of the original, which scripts of operators read by their places. */
export function statusText(status: MeroStatus, hosts: readonly MeroHostStatus[]): string {
  const { coordinator, noQuorum, disposition } = status;
  const head = [
    ...(noQuorum === undefined ? [] : [printable(sentence(noQuorum))]),
    `Cluster disposition: ${disposition}`,
    ...(coordinator === 'muster' ? ['Coordinator: muster'] : []),
  ];
  if (hosts.length === 0 && !status.loaded) return lines([...head, noData]);
  return lines([...head, ...levels(status), ...info(status), '', 'Hosts:', ...hosts.flatMap((host) => hostLines(host, status))]);
}

const sentence = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
const noData = 'Cluster information is not available, load initial data first.';
const lines = (all: readonly string[]): string => all.map((line) => `${line}\n`).join('');

/** The run level, while the cluster has not reached its goal. */
const levels = ({ underWay, because }: MeroStatus): string[] =>
  underWay === undefined ? [] : [`Run level: ${printable(because)}${underWay.late ? ', which takes longer than it may' : ''}`];

function info({ pools, profiles }: MeroStatus): string[] {
  if (pools.length + profiles.length === 0) return [];
  const named = (what: string, { fid, id }: MeroStatus['pools'][number]): string => `    ${what.padEnd(11)} ${fid} "${printable(id)}"`;
  return ['  cluster info:', ...pools.map((pool) => named('SNS pool:', pool)), ...profiles.map((profile) => named('profile:', profile))];
}

type Stated = { readonly fid: string; readonly state: string; readonly extended?: string | undefined };

/** One line for something with a state, and another for its extended state, if any. */
const stated = ({ fid, state, extended }: Stated, indent: number, text: string): string[] => [
  `  [${state.padStart(9)}] ${fid.padEnd(24)}${' '.repeat(indent)}${printable(text).trimEnd()}`,
  ...(extended === undefined ? [] : [`${' '.repeat(16)}Extended state: ${printable(extended)}`]),
];

/** The tag of the coordinator, and that of each other station. */
const tagOf = ({ host, station }: MeroHostStatus, { coordinator }: MeroStatus): string =>
  host === coordinator ? ' (RC)' : station ? ' (TS)' : '';

/** The lines of a host. The tag follows Halon's own process, as in the original, or the host where there is none. */
function hostLines(host: MeroHostStatus, status: MeroStatus): string[] {
  const tag = tagOf(host, status);
  const halon = host.processes.find(({ type }) => type === 'halon');
  return [
    ...stated(host, 2, `${host.host}${halon ? '' : tag}`),
    ...host.processes.flatMap((process) => processLines(process, status, process === halon ? tag : '')),
  ];
}

const processLines = (process: Process, status: MeroStatus, tag: string): string[] => [
  ...stated(process, 4, `${process.endpoint} ${process.type}${tag}`),
  ...process.services.flatMap((service) => serviceLines(service, status)),
];

const serviceLines = (service: Service, { principal }: MeroStatus): string[] => [
  ...stated(service, 6, `${service.type}${service.fid === principal ? ' (principal)' : ''}`),
  ...(service.devices ?? []).flatMap(deviceLines),
];

const deviceLines = (device: Device): string[] => stated(device, 8, `${device.path} ${device.wwn}`);
