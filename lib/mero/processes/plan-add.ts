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

/** An order to add processes to a host: the roles, and the operator's values for their variables. */
export type AddOrder = {
  readonly zone: ZoneName;
  readonly host: Fqdn;
  readonly roles: readonly MeroRole[];
  readonly overrides: Variables;
};

/** The role of Halon's own process on a host. All other processes get its endpoint. */
const halonRole = 'ha';

/**
 * The roles that a host gets for the requested ones. The first processes of a host come with Halon's own, or they would
 * get an endpoint at which nothing listens.
 */
export function rolesWithHalon(asked: readonly MeroRole[], catalogue: readonly MeroRole[], meroNode: MeroNode | undefined): MeroRole[] {
  const isHalons = ({ content }: MeroRole): boolean => content.some(({ m0p_type: type }) => isHalon({ type: type as ProcessType }));
  const own = meroNode || asked.some(isHalons) ? undefined : catalogue.find(({ name }) => name === halonRole);
  return own ? [...asked, own] : [...asked];
}

/** A wanted process and its role, before it has an endpoint of its own. */
export type WantedProcess = { readonly role: string; readonly process: Process };

/**
 * The processes that roles make on a host, or everything that stands in the way; `lnid` is the address of the host's
 * network.
 */
export type Wanted =
  | { readonly ok: true; readonly lnid: string | undefined; readonly processes: readonly WantedProcess[] }
  | { readonly ok: false; readonly because: readonly string[] };

/**
 * Fills in the roles for a host: by its own variables if it is a Mero node, else by the address that it called in from.
 * An override that none of the roles knows is refused: it is probably misspelt.
 */
export function wantedOf(order: AddOrder, meroNode: MeroNode | undefined, address: string | undefined): Wanted {
  const { roles, overrides } = order;
  const own = meroNode?.lnid ?? (address === undefined ? undefined : `${address}@tcp`);
  const lnid = typeof overrides['lnid'] === 'string' && !meroNode?.lnid ? overrides['lnid'] : own;
  const given = { ...(lnid !== undefined && { lnid }), ...meroNode?.variables };
  const unknown = Object.keys(overrides).filter((name) => name !== 'lnid' && !roles.some((role) => knows(role, name)));
  const because = unknown.map((name) => `there is no variable ${name} in ${namesOf(roles)}`);
  const processes: WantedProcess[] = [];
  for (const role of roles) {
    const filled = processesOf(role, given, overrides);
    if (filled.ok) processes.push(...filled.processes.map((process) => ({ role: role.name, process })));
    else because.push(...new Set(filled.defects.map(({ says }) => says)));
  }
  return because.length === 0 ? { ok: true, lnid, processes } : { ok: false, because };
}

const namesOf = (roles: readonly MeroRole[]): string =>
  roles.length === 1 ? `role ${roles[0]!.name}` : `any of the roles ${roles.map(({ name }) => name).join(', ')}`;

/** Whether a role has a variable of this name, in its texts or among its own. */
const knows = ({ variables, content }: MeroRole, name: string): boolean =>
  Object.hasOwn(variables ?? {}, name) || new RegExp(`\\{\\{\\s*${name}\\??\\s*\\}\\}`).test(JSON.stringify(content));

/**
 * The networks and portals on which the processes would listen first. Each process on the same network and portal may
 * stand in their way.
 */
export const networksOf = (processes: readonly WantedProcess[]): { readonly lnid: string; readonly portal: number }[] => [
  ...new Map(
    processes.flatMap(({ process }) => {
      const parts = endpointParts(process.m0p_endpoint);
      return parts ? [[`${parts.lnid} ${parts.portal}`, { lnid: parts.lnid, portal: parts.portal }] as const] : [];
    }),
  ).values(),
];

/** The inputs of a plan to add processes. */
export type AddGround = {
  readonly meroNode: MeroNode | undefined;
  /** The node's processes, whose values of variables are in use. */
  readonly processes: readonly MeroProcess[];
  /** The endpoints in use, at least those on the requested networks. */
  readonly endpoints: Iterable<string>;
  /** The last number that was given to anything with a fid. */
  readonly lastFid: number;
  /** The network address of a new Mero node; see {@link wantedOf}. */
  readonly lnid: string | undefined;
  readonly now: EpochMs;
};

/** Everything that is added; or why nothing is. */
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
 * How many rows of one commit are for the processes. A commit takes 100, and the Mero node, the fids, the node's
 * desired state and the gate of the zone are among them.
 */
export const rowsForProcesses = 96;

/**
 * Plans an addition: each process with a fid, and with an endpoint and values that are free, and the Mero node with the
 * first of them. It adds all of them or nothing.
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
    return `a node can have at most ${tableMax} processes: it has ${there.length}, and this would add ${total}`;
  const halons =
    there.filter(isHalon).length + wanted.reduce((sum, one) => sum + (isHalon({ type: one.process.m0p_type }) ? count(one) : 0), 0);
  if (halons > 1) return "a node can have only one process of Halon's own";
  const rowsOf = ({ process }: WantedProcess): number => (process.m0p_services.some((service) => service.m0s_devices?.length) ? 3 : 2);
  const rows = wanted.reduce((sum, one) => sum + rowsOf(one) * count(one), 0);
  if (rows <= rowsForProcesses) return undefined;
  const fit = Math.floor(rowsForProcesses / Math.max(...wanted.map(rowsOf)));
  return `${total} processes do not fit into one commit, which adds all or none: add at most ${fit} at once`;
}

type About = { readonly zone: ZoneName; readonly host: Fqdn; readonly role: string; readonly now: EpochMs };

/** A process at its beginning: offline. Muster starts a managed process once, an unmanaged one never. */
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
/** A row to write; with `fresh` it must not exist yet. */
export type Placing = { readonly ref: RowRef; readonly decision: Decision<unknown, Event>; readonly fresh: boolean };

/** The rows of an addition: the Mero node first, which fences each addition and removal of processes there. */
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
