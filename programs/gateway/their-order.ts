import { createHash } from 'node:crypto';
import type { Circuits } from '../../lib/uyuni/gateway/circuits.ts';
import type { GatewayNode } from '../../lib/uyuni/gateway/directory.ts';

/**
 * Nodes in the order in which any of them is asked: those that are up and have the common content of their zone before
 * others. One person is led to the same node as long as it is there: what it answers agrees with what it answered.
 */
export function inTheirOrder(nodes: readonly GatewayNode[], circuits: Circuits, login: string): readonly GatewayNode[] {
  const rank = ({ name, isUp, isInSync }: GatewayNode): number => (isUp && circuits.isClosed(name) ? 0 : 2) + (isInSync ? 0 : 1);
  const weights = new Map(nodes.map(({ name }) => [name, createHash('sha256').update(`${login}\n${name}`).digest('hex')]));
  const weightOf = ({ name }: GatewayNode): string => weights.get(name) ?? '';
  return nodes.toSorted((a, b) => rank(a) - rank(b) || (weightOf(a) < weightOf(b) ? -1 : 1));
}
