import { adminRoutes } from '../lib/api/admin-routes.ts';
import { adminHandlers } from '../lib/doors/admin/admin.ts';
import { verifyAdmin } from '../lib/doors/verify-admin.ts';
import { onRoutes } from '../lib/runtime/on-route.ts';

/** Administrators, automation and the CLI: the API under /api/v1. */
export default onRoutes(adminRoutes, adminHandlers, verifyAdmin);
