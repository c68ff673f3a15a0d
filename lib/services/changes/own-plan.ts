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

/** A service that Muster itself has run: of which type, where, and as which start of it, where that has a meaning. */
export type OwnService = { readonly type: ServiceTypeName; readonly node: NodeId; readonly start?: number };

/**
 * What is to run because of the stations of a zone: one service on each that was heard, and one where they have their
 * coordinator, whose start is its epoch.
 */
export function ownOfStations(stations: Stations | undefined): readonly OwnService[] {
  const { hosts = [], leases = {}, coordinator } = stations ?? {};
  const watching = hosts.flatMap((host) => (leases[host]?.service ? [{ type: recoverySupervisor, node: leases[host].node }] : []));
  return coordinator ? [...watching, { type: recoveryCoordinator, node: coordinator.node, start: coordinator.epoch }] : watching;
}

/**
 * What a decision about such a service rests on; `formerly` is what its row was when it was last registered, if it ever
 * was.
 */
export type OwnGround = { readonly node: Node; readonly service: Service | undefined; readonly formerly: Service | undefined };

/** Has such a service run, unless it does: nobody orders it, so that nothing but its node may stand in the way. */
export function startOwn(
  { type, start }: OwnService,
  { node, service, formerly }: OwnGround,
  because: string,
  now: EpochMs,
): Decision<Service> {
  if (service && !service.stopping && (start === undefined || service.start === start)) return nothing(`${type} is there already`);
  const known = builtInTypes.find(({ name }) => name === type)!;
  const base = service ?? registeredNow({ type: known, node, formerly }, known.configuration, now);
  return started({ ...base, ...(start !== undefined && { start: start - 1 }) }, { because }, now);
}

/** Such a service is registered no more: its agent, once it hears so, stops what runs of it. */
export const endOwn = (service: Service | undefined, because: string): Decision<Service> =>
  service ? unregistered(service, because) : nothing('it is not there');
