import type { Node } from '../../nodes/node.ts';
import type { Candidate, SeatNode } from './decide.ts';

/** How the node that is the seat is now; `generation` is the one that became the seat. */
export function seatNodeOf(node: Node | undefined, generation: number): SeatNode {
  if (!node) return { is: 'gone', because: 'it is no node any more' };
  if (node.generation !== generation) return { is: 'gone', because: `${node.fqdn} has joined anew` };
  if (node.status === 'up') return { is: 'up' };
  if (node.status === 'suspect') return { is: 'silent' };
  return { is: 'gone', because: `${node.fqdn} is ${node.status}` };
}

/** A node as a candidate; undefined for one that cannot become the seat now. */
export const candidateOf = ({ id, fqdn, generation, kind, status }: Node): Candidate | undefined =>
  kind === 'uyuni' && status === 'up' ? { node: id, fqdn, generation } : undefined;
