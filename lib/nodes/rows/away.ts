import type { Node } from '../node.ts';

/**
 * Whether nobody hears of what runs on a host: its node is down or given up, or there is none. One that is suspect may
 * be heard yet.
 */
export const isAway = (node: Node | undefined): boolean =>
  node === undefined || ['absent', 'waiting', 'down', 'dropped'].includes(node.status);
