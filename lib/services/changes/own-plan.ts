import { type Decision, nothing } from '../../core/decision.ts';
import type { NodeId, ServiceTypeName } from '../../core/ids.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Node } from '../../nodes/node.ts';
import type { Stations } from '../../stations/stations.ts';
import { started, unregistered } from '../move.ts';
import { registeredNow } from '../orders.ts';
import { builtInTypes } from '../rows/built-in.ts';
import { recoveryCoordinator, recoverySupervisor } from '../rows/own-work.ts';
import type { Service } from '../service.ts';

/** A service that Muster itself runs: its type, its node, and the number of its start, where that has a meaning. */
export type OwnService = { readonly type: ServiceTypeName; readonly node: NodeId; readonly start?: number };

/**
 * The services that must run because of the stations of a zone: one on each station that was heard, and one where the
 * coordinator is, whose start is the epoch of the coordinator.
 */
export function ownOfStations(stations: Stations | undefined): readonly OwnService[] {
  const { hosts = [], leases = {}, coordinator } = stations ?? {};
  const watching = hosts.flatMap((host) => (leases[host]?.service ? [{ type: recoverySupervisor, node: leases[host].node }] : []));
  return coordinator ? [...watching, { type: recoveryCoordinator, node: coordinator.node, start: coordinator.epoch }] : watching;
}

/** The context of a decision about such a service. `formerly` is its row as it was last registered, if it ever was. */
export type OwnGround = { readonly node: Node; readonly service: Service | undefined; readonly formerly: Service | undefined };

/**
 * Starts such a service, unless it runs already. No operator orders it, so that nothing but its node can prevent it.
 */
export function startOwn(
  { type, start }: OwnService,
  { node, service, formerly }: OwnGround,
  because: string,
  now: EpochMs,
): Decision<Service> {
  if (service && !service.stopping && (start === undefined || service.start === start)) return nothing(`${type} is registered already`);
  const known = builtInTypes.find(({ name }) => name === type)!;
  const base = service ?? registeredNow({ type: known, node, formerly }, known.configuration, now);
  return started({ ...base, ...(start !== undefined && { start: start - 1 }) }, { because }, now);
}

/** Unregisters such a service. Its agent, once notified, stops what runs of it. */
export const endOwn = (service: Service | undefined, because: string): Decision<Service> =>
  service ? unregistered(service, because) : nothing('it is not registered');
