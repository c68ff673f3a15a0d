import { Refusal } from '../api/problem.ts';
import { awaitsUp, type Node } from './node.ts';
import { mustRejoin } from './verify-member.ts';

/**
 * Throws a {@link Refusal} for a report of a node in an incarnation that is not the acknowledged one. A node that was
 * given up on purpose must stop; one given up as lost may join as new.
 */
export function refuseStranger(node: Node, incarnation: number): void {
  if (node.status === 'dropped') {
    if (node.planned) throw new Refusal('removed', `${node.fqdn} has left as ordered; start its agent again to join as new`);
    throw mustRejoin(node);
  }
  if (node.status === 'absent' || node.status === 'waiting' || node.status === 'down')
    throw new Refusal('send-node-up', `the node is ${node.status}: send node-up`);
  if (incarnation !== node.incarnation)
    throw new Refusal('send-node-up', `incarnation ${incarnation} is not the acknowledged one, ${node.incarnation}: send node-up`);
  if (awaitsUp(node)) throw new Refusal('send-node-up', 'the source of its liveness changed: send node-up');
}
