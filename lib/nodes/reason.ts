import type { Node } from './node.ts';

const clock = (at: number): string => new Date(at).toISOString().slice(11, 19);
const heard = /^(heartbeat \d+|a heartbeat) renewed its lease/;

/**
 * The reason of a node's state, for people. The reason of a row that a heartbeat wrote last says only that, so that the
 * row stays small: this adds until when the lease lasts, and since when the node runs or what it has yet to do.
 */
export function reasonOf(node: Node, because: string): string {
  if (!('leaseUntil' in node) || !heard.test(because)) return because;
  const renewed = because.replace(heard, (text) => `${text} until ${clock(node.leaseUntil)}`);
  if (node.status === 'joining') return `${node.unready ? 'it has joined and not reported ready yet' : 'it joins'}; ${renewed}`;
  if (node.status !== 'up' || !node.boot) return renewed;
  return `its agent runs since ${new Date(node.boot.receivedAt).toISOString()}; ${renewed}`;
}
