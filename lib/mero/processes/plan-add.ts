import type * as z from 'zod';
import type { NodeWasAdded, ProcessWasAdded } from '../../../events/published/mero.ts';
import { tableMax } from '../../../events/reported/process.ts';
import { type Decision, type RowRef, write } from '../../core/decision.ts';
import type { Defect } from '../../core/defect.ts';
import { endpointParts } from '../../core/endpoint.ts';
import type { Fid } from '../../core/fid.ts';
import type { Fqdn, ZoneName } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import { type FidCounter, fidsRef } from '../clusters/cluster.ts';
import { type ExpandedProcess, expandProcess } from '../facts/expand/processes.ts';
import { Taken } from '../facts/expand/taken.ts';
import type { Process, ProcessType } from '../facts/process.ts';
import { type MeroRole, processesOf, type Variables } from '../facts/roles/mero-role.ts';
import { type EndpointHolder, type MeroNode, meroNodeId, meroNodeRef } from '../nodes/mero-node.ts';
import { devicesRef, isHalon, isManaged, type MeroProcess, type ProcessDevices, processId, processRef } from './process.ts';

/** Processes that are to be added to a host: those of these roles, filled in with what the operator says besides. */
export type AddOrder = {
  readonly zone: ZoneName;
  readonly host: Fqdn;
  readonly roles: readonly MeroRole[];
  readonly overrides: Variables;
};

/** The role whose process is Halon's own on a host: all others are told where it listens. */
const halonRole = 'ha';

/**
 * The roles that a host gets for those that are asked for: the first processes of a host come with Halon's own, or they
 * would be told an endpoint at which nobody is.
 */
export function rolesWithHalon(asked: readonly MeroRole[], catalogue: readonly MeroRole[], meroNode: MeroNode | undefined): MeroRole[] {
  const isHalons = ({ content }: MeroRole): boolean => content.some(({ m0p_type: type }) => isHalon({ type: type as ProcessType }));
  const own = meroNode || asked.some(isHalons) ? undefined : catalogue.find(({ name }) => name === halonRole);
  return own ? [...asked, own] : [...asked];
}

/** A process that is wanted, by which role, before it has an endpoint of its own. */
export type WantedProcess = { readonly role: string; readonly process: Process };

/** What a role comes to on a host, or all that stands in the way; `lnid` is the address of the host's network. */
export type Wanted =
  | { readonly ok: true; readonly lnid: string | undefined; readonly processes: readonly WantedProcess[] }
  | { readonly ok: false; readonly because: readonly string[] };

/**
 * Fills in the roles for a host: by its own variables where it is a Mero node, else by the address that it called in
 * from. What is said for one of them that none of them knows is refused: it would be a misspelt one.
 */
export function wantedOf(order: AddOrder, meroNode: MeroNode | undefined, address: string | undefined): Wanted {
  const { roles, overrides } = order;
  const own = meroNode?.lnid ?? (address === undefined ? undefined : `${address}@tcp`);
  const lnid = typeof overrides['lnid'] === 'string' && !meroNode?.lnid ? overrides['lnid'] : own;
  const given = { ...(lnid !== undefined && { lnid }), ...meroNode?.variables };
  const unknown = Object.keys(overrides).filter((name) => name !== 'lnid' && !roles.some((role) => knows(role, name)));
  const because = unknown.map((name) => `${namesOf(roles)} has no variable ${name}`);
  const processes: WantedProcess[] = [];
  for (const role of roles) {
    const filled = processesOf(role, given, overrides);
    if (filled.ok) processes.push(...filled.processes.map((process) => ({ role: role.name, process })));
    else because.push(...new Set(filled.defects.map(({ says }) => says)));
  }
  return because.length === 0 ? { ok: true, lnid, processes } : { ok: false, because };
}

const namesOf = (roles: readonly MeroRole[]): string =>
  roles.length === 1 ? `role ${roles[0]!.name}` : `none of ${roles.map(({ name }) => name).join(', ')}`;

/** Whether a role has a variable of this name, in its texts or among its own. */
const knows = ({ variables, content }: MeroRole, name: string): boolean =>
  Object.hasOwn(variables ?? {}, name) || new RegExp(`\\{\\{\\s*${name}\\??\\s*\\}\\}`).test(JSON.stringify(content));

/** Where a process would listen first: all that have the same network and portal may stand in its way. */
export const networksOf = (processes: readonly WantedProcess[]): { readonly lnid: string; readonly portal: number }[] => [
  ...new Map(
    processes.flatMap(({ process }) => {
      const parts = endpointParts(process.m0p_endpoint);
      return parts ? [[`${parts.lnid} ${parts.portal}`, { lnid: parts.lnid, portal: parts.portal }] as const] : [];
    }),
  ).values(),
];

/** What a plan to add processes rests on. */
export type AddGround = {
  readonly meroNode: MeroNode | undefined;
  /** The node's processes: whose values of variables are in use. */
  readonly processes: readonly MeroProcess[];
  /** The endpoints that are held, at the least those of the networks that are asked for. */
  readonly endpoints: Iterable<string>;
  /** The number that was given last to anything with a fid. */
  readonly lastFid: number;
  /** The address of the network of a Mero node that is made; see {@link wantedOf}. */
  readonly lnid: string | undefined;
  readonly now: EpochMs;
};

/** What is added, whole; or why nothing is. */
export type Addition =
  | {
      readonly ok: true;
      readonly meroNode: MeroNode;
      readonly isNewNode: boolean;
      readonly processes: readonly MeroProcess[];
      readonly devices: ReadonlyMap<Fid, ProcessDevices>;
      readonly lastFid: number;
    }
  | { readonly ok: false; readonly because: readonly string[] };

/**
 * How many rows of one commit are for the processes: it takes 100, and the Mero node, the fids, the node's desired
 * state and the gate of the zone are among them.
 */
export const rowsForProcesses = 96;

/**
 * Plans what is added: each process with a fid, an endpoint that nobody holds and values that are free on its node, and
 * the Mero node with the first of them. All of it or nothing.
 */
export function planAdd(order: AddOrder, wanted: readonly WantedProcess[], ground: AddGround): Addition {
  const { zone, host } = order;
  const { meroNode, now } = ground;
  const tooMany = refuseMany(wanted, ground.processes);
  if (tooMany) return { ok: false, because: [tooMany] };
  const taken = new Taken(ground.lastFid, ground.endpoints);
  for (const { environment } of ground.processes) for (const { name, value } of environment) taken.hold(host, name, value);
  const node: MeroNode = meroNode ?? {
    fid: taken.fid('node'),
    zone,
    fqdn: host,
    processes: [],
    ...(ground.lnid !== undefined && { lnid: ground.lnid }),
  };
  const because: string[] = [];
  const devices = new Map<Fid, ProcessDevices>();
  const added = wanted.flatMap(({ role, process }) => {
    const defects: Defect[] = [];
    const expanded = expandProcess({ process, node: host, path: [] }, taken, defects);
    because.push(...defects.map(({ says }) => `role ${role}: ${says}`));
    return expanded.map((one) => {
      const own = devicesOf(one);
      if (own) devices.set(one.fid, own);
      return newProcess(one, { zone, host, role, now });
    });
  });
  if (because.length > 0) return { ok: false, because };
  return {
    ok: true,
    meroNode: { ...node, processes: [...node.processes, ...added.map(({ fid }) => fid)] },
    isNewNode: meroNode === undefined,
    processes: added,
    devices,
    lastFid: taken.lastKey,
  };
}

/** Why there would be too many processes: on the node, of Halon's own, or in one commit. */
function refuseMany(wanted: readonly WantedProcess[], there: readonly MeroProcess[]): string | undefined {
  const count = ({ process }: WantedProcess): number => process.m0p_multiplicity ?? 1;
  const total = wanted.reduce((sum, one) => sum + count(one), 0);
  if (there.length + total > tableMax)
    return `a node has ${tableMax} processes at the most: ${there.length} are there, and ${total} would come to them`;
  const halons =
    there.filter(isHalon).length + wanted.reduce((sum, one) => sum + (isHalon({ type: one.process.m0p_type }) ? count(one) : 0), 0);
  if (halons > 1) return "a node has one process of Halon's own";
  const rowsOf = ({ process }: WantedProcess): number => (process.m0p_services.some((service) => service.m0s_devices?.length) ? 3 : 2);
  const rows = wanted.reduce((sum, one) => sum + rowsOf(one) * count(one), 0);
  if (rows <= rowsForProcesses) return undefined;
  const fit = Math.floor(rowsForProcesses / Math.max(...wanted.map(rowsOf)));
  return `${total} processes do not fit into one commit, and all are added or none: ${fit} fit, so add them in parts`;
}

type About = { readonly zone: ZoneName; readonly host: Fqdn; readonly role: string; readonly now: EpochMs };

/** A process as it begins: offline. What Muster starts is wanted once; what somebody else starts, never. */
function newProcess({ fid, type, endpoint, memory, cores, environment, services }: ExpandedProcess, about: About): MeroProcess {
  const { zone, host, role, now } = about;
  return {
    fid,
    zone,
    host,
    type,
    endpoint,
    role,
    memory: Object.fromEntries(Object.entries(memory).filter(([, bytes]) => bytes !== undefined)),
    cores: [...cores],
    environment: environment.map((variable) => ({ ...variable })),
    services: services.map((service) => ({ fid: service.fid, type: service.type })),
    devices: services.reduce((sum, service) => sum + service.devices.length, 0),
    state: { is: 'offline' },
    since: now,
    start: isManaged({ type }) ? 1 : 0,
  };
}

const devicesOf = ({ services }: ExpandedProcess): ProcessDevices | undefined =>
  services.every(({ devices }) => devices.length === 0)
    ? undefined
    : {
        services: services.map(({ fid, devices }) => ({
          service: fid,
          devices: devices.map(({ slot, ...device }) => ({ ...device, ...(slot !== undefined && { slot }) })),
        })),
      };

type Event = z.infer<typeof ProcessWasAdded> | z.infer<typeof NodeWasAdded>;
/** What is to be written to a row; `fresh`: it must not be there yet. */
export type Placing = { readonly ref: RowRef; readonly decision: Decision<unknown, Event>; readonly fresh: boolean };

/** The rows of an addition: the Mero node first, which whoever adds or removes processes there is fenced by. */
export function placingsOf({ zone, host }: AddOrder, added: Extract<Addition, { ok: true }>): Placing[] {
  const { meroNode, processes, devices, isNewNode, lastFid } = added;
  const because = `${processes.length} ${processes.length === 1 ? 'process' : 'processes'} added on ${host}`;
  const nodeAdded: Event = { type: 'cluster.node-added', version: 1, data: { zone, node: meroNode.fid, host } };
  const id = (fid: Fid): string => processId({ zone, fid });
  return [
    {
      ref: meroNodeRef(meroNodeId(meroNode)),
      decision: write<MeroNode, Event>(meroNode, because, { events: isNewNode ? [nodeAdded] : [] }),
      fresh: isNewNode,
    },
    { ref: fidsRef(zone), decision: write<FidCounter, Event>({ last: lastFid }, because), fresh: false },
    ...processes.flatMap((process): Placing[] => [
      { ref: processRef(id(process.fid)), decision: addedDecision(process), fresh: true },
      {
        ref: { noun: 'endpoint', id: `${zone}/${process.endpoint}` },
        decision: write<EndpointHolder, Event>({ process: process.fid }, because),
        fresh: true,
      },
    ]),
    ...[...devices].map(
      ([fid, own]): Placing => ({
        ref: devicesRef(id(fid)),
        decision: write<ProcessDevices, Event>(own, because),
        fresh: true,
      }),
    ),
  ];
}

function addedDecision(process: MeroProcess): Decision<MeroProcess, Event> {
  const { zone, fid, host, endpoint, role } = process;
  const data = { zone, process: fid, host, endpoint, managed: isManaged(process), role: role! };
  return write<MeroProcess, Event>(process, `added by role ${role} on ${host}`, { events: [{ type: 'process.added', version: 1, data }] });
}
