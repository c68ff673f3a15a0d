import { verifyAdmin } from '../lib/access/verify-admin.ts';
import { searchHandlers, searchRoutes } from '../lib/assembly/search.ts';
import { onRoutes } from '../lib/runtime/on-route.ts';

/** Searches among client systems, which need the index of all of them in memory. */
export default onRoutes(searchRoutes, searchHandlers, verifyAdmin);
