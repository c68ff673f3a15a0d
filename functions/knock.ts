import { clientHandlers } from '../lib/clients/handlers/clients.ts';
import { quickStatus } from '../lib/clients/handlers/quick-status.ts';
import { countedApart } from '../lib/clients/onboarding-tokens/reads/apart.ts';
import { noteRefusal } from '../lib/clients/refusals/handlers.ts';
import { clientRoutes } from '../lib/clients/routes.ts';
import { verifyClient } from '../lib/clients/verify-client.ts';
import { onRoutes } from '../lib/runtime/on-route.ts';

/** Client systems: the signed knock, status byte, orphan. */
export default onRoutes(clientRoutes, clientHandlers, verifyClient, { quick: quickStatus, countedApart, onRefused: noteRefusal });
