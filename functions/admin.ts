import { verifyAdmin } from '../lib/access/verify-admin.ts';
import { adminRoutes } from '../lib/admin-contract.ts';
import { adminHandlers } from '../lib/assembly/admin.ts';
import { onRoutes } from '../lib/runtime/on-route.ts';

/** Administrators, automation and the CLI: the API under /api/v1. */
export default onRoutes(adminRoutes, adminHandlers, verifyAdmin);
