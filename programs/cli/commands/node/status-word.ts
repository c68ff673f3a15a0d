import type { NodeView } from '../../../../lib/nodes/admin-routes.ts';

/**
 * A node's status in one word, for people. A node that an operator removed has its own status here: unlike a node that
 * was only dropped, it does not come back by a node-up.
 */
export const statusWord = ({ status, removedAt }: NodeView): string => (removedAt === undefined ? status : 'removed');
