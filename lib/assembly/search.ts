import type { AdminCaller } from '../access/verify-admin.ts';
import { adminSystemRoutes } from '../clients/admin-routes.ts';
import { findSystems } from '../clients/handlers/find.ts';
import type { Handlers } from '../runtime/on-route.ts';
import { recordingReach } from './reached.ts';

/** The routes that search, and change nothing. */
export const searchRoutes = { findSystems: adminSystemRoutes.findSystems } as const;

/** Their handlers. */
export const searchHandlers: Handlers<typeof searchRoutes, AdminCaller> = recordingReach(searchRoutes, { findSystems });
