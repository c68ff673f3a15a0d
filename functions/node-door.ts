import { nodeRoutes } from '../lib/api/node-routes.ts';
import { nodeHandlers } from '../lib/doors/nodes.ts';
import { verifyNode } from '../lib/doors/verify-node.ts';
import { onRoutes } from '../lib/runtime/on-route.ts';

/** Node agents: join, node-up, heartbeat, events, leaving, another key; desired state and systems. Each call is signed. */
export default onRoutes(nodeRoutes, nodeHandlers, verifyNode);
