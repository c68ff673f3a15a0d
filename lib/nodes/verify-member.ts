import { Refusal } from '../api/problem.ts';
import type { Node } from './node.ts';

/** The refusal of a node that was given up and must come back as new. */
export const mustRejoin = (node: Node): Refusal =>
  new Refusal('must-rejoin', `given up at generation ${node.generation}: flush, and send node-up with flushed ${node.generation}`, {
    headers: { 'muster-generation': String(node.generation) },
  });
