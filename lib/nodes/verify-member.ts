import { Refusal } from '../api/problem.ts';
import type { Node } from './node.ts';

/** Refused: the node was given up, and comes back as new. */
export const mustRejoin = (node: Node): Refusal =>
  new Refusal('must-rejoin', `given up at generation ${node.generation}: flush, and send node-up with flushed ${node.generation}`, {
    headers: { 'muster-generation': String(node.generation) },
  });
