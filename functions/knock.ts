import { clientRoutes } from '../lib/api/client-routes.ts';
import { clientHandlers } from '../lib/doors/clients.ts';
import { quickStatus } from '../lib/doors/quick-status.ts';
import { onRoutes } from '../lib/runtime/on-route.ts';
import { anyone } from '../lib/runtime/verify.ts';

/** Client systems: knock, status byte, orphan. */
export default onRoutes(clientRoutes, clientHandlers, anyone, quickStatus);
