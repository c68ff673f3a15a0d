import { clientRoutes } from '../lib/api/client-routes.ts';
import { clientHandlers } from '../lib/doors/clients.ts';
import { quickStatus } from '../lib/doors/quick-status.ts';
import { verifyClient } from '../lib/doors/verify-client.ts';
import { onRoutes } from '../lib/runtime/on-route.ts';

/** Client systems: the signed knock, status byte, orphan. */
export default onRoutes(clientRoutes, clientHandlers, verifyClient, quickStatus);
