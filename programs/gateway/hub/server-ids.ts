import { createHash } from 'node:crypto';
import type { GatewayNode } from '../../../lib/uyuni/gateway/directory.ts';
import { HubRefused } from '../../../lib/uyuni/gateway/hub/refusal.ts';

/**
 * Nine digits, so that nobody takes the number of a server for that of a system: those have ten, on servers and in the
 * cluster.
 */
const numbers = { min: 100_000_000, count: 900_000_000 };

/** The number of a server for callers: by its name, so that it is the same one always, and of no other server. */
export const serverIdOf = ({ name, serverId }: Pick<GatewayNode, 'name' | 'serverId'>): number =>
  serverId ?? numbers.min + (createHash('sha256').update(name).digest().readUIntBE(0, 6) % numbers.count);

/**
 * The servers by their numbers, in the order of their names. Throws {@link HubRefused} where two have the same one:
 * whichever was called would be the wrong one for somebody.
 */
export function serversById(nodes: readonly GatewayNode[]): ReadonlyMap<number, GatewayNode> {
  const servers = new Map<number, GatewayNode>();
  for (const node of nodes) {
    const id = serverIdOf(node);
    const other = servers.get(id);
    if (other) throw new HubRefused({ code: -32500, text: clash(other, node, id) });
    servers.set(id, node);
  }
  return servers;
}

const clash = (one: GatewayNode, other: GatewayNode, id: number): string =>
  `${one.name} and ${other.name} have the same number ${id}: give one of them another by --server-id`;
