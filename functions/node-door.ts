import { nodeRoutes } from '../lib/api/node-routes.ts';
import { nodeHandlers } from '../lib/doors/nodes.ts';
import { onRoutes } from '../lib/runtime/on-route.ts';
import { anyone } from '../lib/runtime/verify.ts';

/** Node agents: join, node-up, heartbeat, events, leaving; desired state and systems. */
export default onRoutes(nodeRoutes, nodeHandlers, anyone);
