import type { Fid } from '../../core/fid.ts';
import type { EpochMs } from '../../core/time.ts';
import type { Node } from '../../nodes/node.ts';
import { configurationFile, configurationOf, prefixOf } from '../facts/configuration.ts';
import type { MeroNode } from '../nodes/mero-node.ts';
import { isHalon, isManaged, type MeroProcess } from './process.ts';
import type { MeroNodeView, MeroProcessView, ProcessConfiguration } from './routes.ts';
import { goalOf } from './rows/goal.ts';
import { displayedProcess, type Surroundings } from './rows/shown.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/**
 * A process as the API and the CLI show it, with the loss of its node and the states of its services taken into
 * account.
 */
export function meroProcessView(process: MeroProcess, surroundings: Surroundings): MeroProcessView {
  const { fid, host, type, endpoint, role, since, start, running, stopped, removing, retryAt, devices } = process;
  const { state, services } = displayedProcess(process, surroundings);
  const goal = goalOf(process, surroundings.cluster, surroundings.meroNode);
  return {
    fid,
    host,
    type,
    prefix: prefixOf(type),
    endpoint,
    managed: isManaged(process),
    state: state.is,
    since: iso(since),
    start,
    devices,
    ...(role !== undefined && { role }),
    ...(state.is === 'failed' && { reason: state.reason }),
    ...(state.is === 'inhibited' && { previous: state.previous }),
    ...(retryAt !== undefined && { retryAt: iso(retryAt) }),
    ...(goal && { goal }),
    ...(running && { pid: running.pid }),
    ...(stopped && { stopped }),
    ...(removing && { removing }),
    services: services.map((service) => ({ fid: service.fid, type: service.type, state: service.state })),
  };
}

/** A host of a storage cluster with its processes as the API and the CLI show it. */
export function meroNodeView(
  meroNode: MeroNode,
  processes: readonly MeroProcess[],
  surroundings: Surroundings & { readonly node: Node | undefined },
): MeroNodeView {
  const { fid, fqdn, lnid, stopped, removing } = meroNode;
  const { node } = surroundings;
  return {
    fid,
    host: fqdn,
    ...(lnid !== undefined && { lnid }),
    ...(node && { node: { id: node.id, status: node.status } }),
    ...(stopped && { stopped }),
    ...(removing && { removing: { host: removing.host, by: iso(removing.by) } }),
    processes: processes.map((process) => meroProcessView(process, surroundings)),
  };
}

/**
 * The configuration that a process needs to run, from itself, the other processes of its node and the profile of its
 * cluster.
 */
export const processConfiguration = (
  process: MeroProcess,
  ofNode: readonly MeroProcess[],
  profile: Fid | undefined,
): ProcessConfiguration => ({
  process: process.fid,
  host: process.host,
  file: configurationFile(process),
  variables: configurationOf(process, { haEndpoint: ofNode.find(isHalon)?.endpoint, profile }),
});
