import { nodeHandlers } from '../lib/assembly/node-handlers.ts';
import { nodeRoutes } from '../lib/node-contract.ts';
import { verifyNode } from '../lib/nodes/verify-node.ts';
import { onRoutes } from '../lib/runtime/on-route.ts';

/**
 * Node agents: join, node-up, heartbeat, events, leaving, another key; desired state and systems. Each call is signed.
 */
export default onRoutes(nodeRoutes, nodeHandlers, verifyNode);
