import * as z from 'zod';
import { type Decision, nothing, write } from '../core/decision.ts';
import { ZoneName } from '../core/ids.ts';
import { intervalMsOf } from '../core/lease.ts';
import { refOf } from '../core/ref.ts';

/** The row of the whole deployment: the settings of an administrator, and the admitted nodes per zone. */
export const Deployment = z.strictObject({
  beatMinMs: z.int().min(100).optional(),
  /** Whether status and orphan calls are answered without a valid token; they are when it is absent. */
  openCalls: z.boolean().optional(),
  /** How many unknown machines may knock from one network address within an hour; 0 means any number. */
  newKeysPerSource: z.int().nonnegative().optional(),
  /**
   * Zones that allow clients which never sign. They are here and not in the zones' heads, because a knock of an unknown
   * machine is of no zone yet.
   */
  unsignedZones: z.array(ZoneName).optional(),
  admitted: z.record(z.string(), z.int().nonnegative()),
});
export type Deployment = z.infer<typeof Deployment>;

/** A zone counted its admitted nodes or was deleted, or an administrator set something. */
export type DeploymentCommand =
  | { readonly type: 'admitted'; readonly id: string; readonly zone: string; readonly nodes: number }
  | ({ readonly type: 'set'; readonly id: string } & Settable)
  | { readonly type: 'unsigned-clients'; readonly id: string; readonly zone: ZoneName; readonly allowed: boolean }
  | { readonly type: 'zone-deleted'; readonly id: string; readonly zone: ZoneName };

/** The settings that an administrator may change; an absent one stays as it is. */
export type Settable = {
  readonly beatMinMs?: number | undefined;
  readonly openCalls?: boolean | undefined;
  readonly newKeysPerSource?: number | undefined;
};

/**
 * New machines an hour from one network address, by default: enough for a rack or an office behind one address, too few
 * for a flood.
 */
const newKeysPerSource = 1_000;

/** Decides what a count or a setting changes in the deployment's row. */
export function decideDeployment(deployment: Deployment | undefined, command: DeploymentCommand): Decision<Deployment> {
  const before = deployment ?? { admitted: {} };
  if (command.type === 'set') return onSet(before, command);
  if (command.type === 'unsigned-clients') return onUnsigned(before, command);
  if (command.type === 'zone-deleted') return onDeleted(before, command.zone);
  if (before.admitted[command.zone] === command.nodes) return nothing('as many nodes as before');
  return write<Deployment, never>(
    { ...before, admitted: { ...before.admitted, [command.zone]: command.nodes } },
    `${command.nodes} admitted nodes in zone ${command.zone}`,
  );
}

function onSet(before: Deployment, { type: _type, id: _id, ...wanted }: Extract<DeploymentCommand, { type: 'set' }>): Decision<Deployment> {
  const set = Object.entries(wanted).filter(([name, value]) => value !== undefined && value !== before[name as keyof Settable]);
  if (set.length === 0) return nothing('nothing to set');
  const because = set.map(([name, value]) => (name === 'beatMinMs' ? `the fastest heartbeat is ${value} ms` : `${name} is ${value}`));
  return write<Deployment, never>({ ...before, ...Object.fromEntries(set) }, because.join(', '));
}

function onUnsigned(before: Deployment, { zone, allowed }: Extract<DeploymentCommand, { type: 'unsigned-clients' }>): Decision<Deployment> {
  const zones = before.unsignedZones ?? [];
  if (zones.includes(zone) === allowed) return nothing(`zone ${zone} ${allowed ? 'allows' : 'refuses'} unsigned clients already`);
  const unsignedZones = allowed ? [...zones, zone].sort() : zones.filter((one) => one !== zone);
  return write<Deployment, never>({ ...before, unsignedZones }, `zone ${zone} ${allowed ? 'allows' : 'refuses'} unsigned clients`);
}

/** A zone that is made under this name later begins like any other. */
function onDeleted({ admitted, unsignedZones, ...others }: Deployment, zone: ZoneName): Decision<Deployment> {
  if (admitted[zone] === undefined && !unsignedZones?.includes(zone)) return nothing(`nothing is stored of zone ${zone}`);
  const { [zone]: _gone, ...left } = admitted;
  const unsigned = unsignedZones && { unsignedZones: unsignedZones.filter((one) => one !== zone) };
  return write<Deployment, never>({ ...others, ...unsigned, admitted: left }, `zone ${zone} was deleted`);
}

/** How many unknown machines may knock from one network address within an hour; 0 means any number. */
export const newKeysPerSourceOf = (deployment: Deployment | undefined): number => deployment?.newKeysPerSource ?? newKeysPerSource;

/** Whether a zone allows clients which never sign. */
export const allowsUnsigned = (deployment: Deployment | undefined, zone: string): boolean =>
  deployment?.unsignedZones?.some((one) => one === zone) ?? false;

/** Admitted nodes of all zones. */
export const admittedNodes = (deployment: Deployment | undefined): number =>
  Object.values(deployment?.admitted ?? {}).reduce((sum, n) => sum + n, 0);

/** The heartbeat interval before jitter; `beatMinMs` is the host's own default. */
export const intervalOf = (deployment: Deployment | undefined, beatMinMs: number): number =>
  intervalMsOf(admittedNodes(deployment), deployment?.beatMinMs ?? beatMinMs);

/** The one row of the deployment. */
export const deploymentRef = refOf('deployment', Deployment, () => 'deployment')();
