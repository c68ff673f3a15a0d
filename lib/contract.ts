import { adminRoutes } from './admin-contract.ts';
import { clientRoutes } from './clients/routes.ts';
import { nodeRoutes } from './node-contract.ts';

/** Every route of a deployment: router, client and OpenAPI are made from this alone. */
export const contract = { ...nodeRoutes, ...clientRoutes, ...adminRoutes } as const;
export { adminRoutes, clientRoutes, nodeRoutes };
