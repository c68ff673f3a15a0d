import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';

/**
 * A node's status in a word for people: one that an operator removed comes back by no node-up, as one that was only
 * dropped does.
 */
export const statusWord = ({ status, removedAt }: NodeView): string => (removedAt === undefined ? status : 'removed');
