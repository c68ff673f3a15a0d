import type { NodeView } from '../api/views.ts';
import type { Host } from '../hosts/host.ts';
import type { EpochMs } from '../units.ts';
import type { Node } from './node.ts';

const iso = (at: EpochMs): string => new Date(at).toISOString();

/** A node's row as the API and the CLI show it; `slots` and `systemsAbout` come from the zone's map and last count. */
export function nodeView(
  node: Node,
  because: string,
  { slots, systemsAbout, host }: { slots: number; systemsAbout: number; host?: Host | undefined },
): NodeView {
  const { id, fqdn, zone, kind, status, incarnation, generation, index, watch, weight, capacity, labels, joinedAt, heardAt, load } = node;
  return {
    id,
    fqdn,
    zone,
    kind,
    status,
    because,
    incarnation,
    generation,
    watch,
    weight,
    labels,
    slots,
    systemsAbout,
    joinedAt: iso(joinedAt),
    ...(index !== undefined && { index }),
    ...(capacity !== undefined && { capacity }),
    ...(heardAt !== undefined && { heardAt: iso(heardAt) }),
    ...('leaseUntil' in node && { leaseUntil: iso(node.leaseUntil) }),
    ...(node.status === 'leaving' && {
      leaving: {
        mode: node.leaving.mode,
        since: iso(node.leaving.since),
        ...(node.leaving.until !== undefined && { until: iso(node.leaving.until) }),
      },
    }),
    ...(load && { load }),
    ...(host && { host: { ...host, at: iso(host.at) } }),
  };
}
