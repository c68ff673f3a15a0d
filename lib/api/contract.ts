import { adminRoutes } from './admin-routes.ts';
import { clientRoutes } from './client-routes.ts';
import { nodeRoutes } from './node-routes.ts';

/** Every route of a deployment: router, client and OpenAPI are made from this alone. */
export const contract = { ...nodeRoutes, ...clientRoutes, ...adminRoutes } as const;
export { adminRoutes, clientRoutes, nodeRoutes };
