import type { Node } from '../node.ts';

/**
 * Whether no reports come from a host: its node is down or given up, or there is none. A suspect node may still be
 * heard.
 */
export const isAway = (node: Node | undefined): boolean =>
  node === undefined || ['absent', 'waiting', 'down', 'dropped'].includes(node.status);
