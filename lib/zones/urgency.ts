import type { Node } from '../nodes/node.ts';

/** From 0, the most urgent, to 2. */
export type Urgency = 0 | 1 | 2;

/**
 * How long a due node can wait for the plan that processes it. 0: its clients are without a node, or may be. 1: the
 * node comes or comes back. 2: the node drains, and serves its clients meanwhile.
 */
export function urgencyOf(node: Node): Urgency {
  if (node.status === 'suspect' || ('ordered' in node && node.ordered)) return 0;
  if (node.status === 'leaving') return node.leaving.mode === 'drain' ? 2 : 0;
  return 1;
}
