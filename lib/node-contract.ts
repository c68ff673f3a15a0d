import { nodeActionRoutes } from './clients/actions/node-routes.ts';
import { nodeMetadataRoutes } from './clients/metadata/node-routes.ts';
import { systemsRoutes } from './clients/systems/routes.ts';
import { contentNodeRoutes } from './content/revisions/node-routes.ts';
import { desiredRoutes } from './nodes/desired/routes.ts';
import { memberRoutes } from './nodes/routes.ts';
import { servicesOfNodeRoutes } from './services/node-routes.ts';
import { uyuniNodeRoutes } from './uyuni/node-routes.ts';

/** The agent protocol. An agent reads this and not the whole contract, which takes longer to load. */
export const nodeRoutes = {
  ...memberRoutes,
  ...desiredRoutes,
  ...servicesOfNodeRoutes,
  ...systemsRoutes,
  ...nodeMetadataRoutes,
  ...uyuniNodeRoutes,
  ...nodeActionRoutes,
  ...contentNodeRoutes,
} as const;
