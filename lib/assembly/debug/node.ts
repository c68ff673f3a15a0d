import type { AdminCall } from '../../access/verify-admin.ts';
import type { DesiredAnswer } from '../../nodes/desired/desired.ts';
import { desiredNow } from '../../nodes/desired/reads.ts';
import type { Node } from '../../nodes/node.ts';
import { stateReasonOf } from '../../ports/table/table.ts';
import type { Answer } from '../../runtime/on-route.ts';
import type { Shell } from '../../runtime/shell.ts';
import { servicesOf } from '../../services/reads/of-node.ts';
import type { Service } from '../../services/service.ts';
import { serviceView } from '../../services/view.ts';
import { foundNode } from '../../zones/reads/found.ts';
import type { NodeDebug } from './routes.ts';

const iso = (at: number): string => new Date(at).toISOString();

/**
 * The orders that Muster has assigned to a node, as its agent receives them when it asks, and the reports of the node.
 */
export async function debugNode({ params, caller }: AdminCall<'debugNode'>, shell: Shell): Promise<Answer> {
  const { node, row } = await foundNode(shell, params.id, caller);
  const { revision, body } = await desiredNow(shell, node);
  const { id, fqdn, zone, status, incarnation, generation, joinedAt } = node;
  const answer: NodeDebug = {
    node: id,
    host: fqdn,
    zone,
    status,
    because: stateReasonOf(row).because,
    incarnation,
    generation,
    joinedAt: iso(joinedAt),
    told: assignedView(revision, await body()),
    said: reportedView(node, await servicesOf(shell, node)),
  };
  return { status: 200, body: answer };
}

function assignedView(
  revision: number,
  { processes = [], services = [], station, supervisor, release, metadata, traces = [] }: DesiredAnswer,
): NodeDebug['told'] {
  return {
    revision,
    processes: processes.map(({ process, goal, start }) => ({ process, goal, start })),
    services: services.map(({ service, goal, instance, asks }) => ({ service, goal, instance, asks: asks.length })),
    ...(station && { station: { leaseMs: station.leaseMs, pings: station.pings.length } }),
    ...(supervisor && {
      watches: supervisor.watches.map((one) => ({ host: one.host, ...(one.supervisor && { supervisor: one.supervisor }) })),
    }),
    releases: release.length,
    news: metadata?.changed.length ?? 0,
    traces,
  };
}

function reportedView(node: Node, services: readonly Service[]): NodeDebug['said'] {
  const { boot, seq, heardAt, table } = node;
  return {
    ...(boot && { boot: boot.id }),
    seq,
    ...(heardAt !== undefined && { heardAt: iso(heardAt) }),
    ...(table && {
      table: {
        ...(table.hash !== undefined && { taken: table.hash }),
        ...(table.now !== undefined && { now: table.now }),
        asked: table.now !== undefined && table.now !== table.hash,
      },
    }),
    services: services
      .map((one) => serviceView(one, node, { schema: undefined }))
      .map(({ type, state, instance }) => ({ service: type, state, instance })),
  };
}
