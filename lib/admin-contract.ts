import { adminKeyRoutes } from './access/api-keys/routes.ts';
import { sessionRoutes } from './access/sessions/routes.ts';
import { adminTokenKeyRoutes } from './access/token-keys/routes.ts';
import { adminDebugRoutes } from './assembly/debug/routes.ts';
import { explainRoutes } from './assembly/explain/routes.ts';
import { findRoutes } from './assembly/find/routes.ts';
import { previewRoutes } from './assembly/preview/routes.ts';
import { statusRoutes } from './assembly/status-routes.ts';
import { adminAuditRoutes } from './audit/routes.ts';
import { systemActionRoutes } from './clients/actions/routes.ts';
import { adminSystemRoutes } from './clients/admin-routes.ts';
import { metadataRoutes } from './clients/metadata/routes.ts';
import { adminOnboardingRoutes } from './clients/onboarding-tokens/routes.ts';
import { adminRefusalRoutes } from './clients/refusals/routes.ts';
import { contentRoutes } from './content/revisions/routes.ts';
import { seatRoutes } from './content/seat/routes.ts';
import { adminDeadLetterRoutes } from './dead-letters/routes.ts';
import { adminGraphRoutes } from './graph/routes.ts';
import { journalRoutes } from './journal/routes.ts';
import { adminMeroRoutes } from './mero/clusters/routes.ts';
import { adminMeroVarsRoutes } from './mero/clusters/vars-routes.ts';
import { adminMeroFactsRoutes } from './mero/facts/routes.ts';
import { adminMeroLoadsRoutes } from './mero/loads/routes.ts';
import { adminMeroProcessRoutes } from './mero/processes/routes.ts';
import { adminRoleRoutes } from './mero/roles/routes.ts';
import { adminNodeRoutes } from './nodes/admin-routes.ts';
import { adminAdmissionRoutes } from './nodes/admission/routes.ts';
import { adminReportRoutes } from './nodes/report-routes.ts';
import { adminServiceRoutes } from './services/routes.ts';
import { adminServiceTypeRoutes } from './services/type-routes.ts';
import { adminServiceViewRoutes } from './services/view-routes.ts';
import { adminStationRoutes } from './stations/routes.ts';
import { adminSiteOrderRoutes } from './stations/site-orders/routes.ts';
import { actionRoutes } from './uyuni/actions/routes.ts';
import { adoptionRoutes } from './uyuni/adoption/routes.ts';
import { enterRoutes } from './uyuni/enter/routes.ts';
import { adminWebhookRoutes } from './webhooks/routes.ts';
import { adminZoneGuardrailRoutes } from './zones/guardrails/routes.ts';
import { zoneMapRoutes } from './zones/map/routes.ts';
import { zoneRoutes } from './zones/routes.ts';

/** The admin API. */
export const adminRoutes = {
  ...adminNodeRoutes,
  ...adoptionRoutes,
  ...enterRoutes,
  ...actionRoutes,
  ...seatRoutes,
  ...contentRoutes,
  ...adminReportRoutes,
  ...adminAdmissionRoutes,
  ...adminSystemRoutes,
  ...systemActionRoutes,
  ...metadataRoutes,
  ...adminOnboardingRoutes,
  ...adminRefusalRoutes,
  ...adminAuditRoutes,
  ...adminDeadLetterRoutes,
  ...adminTokenKeyRoutes,
  ...adminKeyRoutes,
  ...sessionRoutes,
  ...adminWebhookRoutes,
  ...adminZoneGuardrailRoutes,
  ...adminStationRoutes,
  ...adminDebugRoutes,
  ...adminSiteOrderRoutes,
  ...adminMeroRoutes,
  ...adminMeroProcessRoutes,
  ...adminRoleRoutes,
  ...adminServiceRoutes,
  ...adminMeroVarsRoutes,
  ...adminMeroLoadsRoutes,
  ...adminMeroFactsRoutes,
  ...adminGraphRoutes,
  ...adminServiceTypeRoutes,
  ...adminServiceViewRoutes,
  ...zoneRoutes,
  ...zoneMapRoutes,
  ...previewRoutes,
  ...explainRoutes,
  ...findRoutes,
  ...journalRoutes,
  ...statusRoutes,
} as const;
