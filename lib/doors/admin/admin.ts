import type { adminRoutes } from '../../api/admin-routes.ts';
import type { Handlers } from '../../runtime/on-route.ts';
import type { AdminCaller } from '../verify-admin.ts';
import { accept } from './accept-systems.ts';
import { addMeroProcesses } from './add-processes.ts';
import { addAdmissionRule, deleteAdmissionRule, listAdmissionRules } from './admission-rules.ts';
import { createKey, createSignInLink, listKeys, revokeKey, signIn, signOut, waysToSignIn, whoAmI } from './api-keys.ts';
import { listAudit } from './audit.ts';
import { verifyAudit } from './audit-verify.ts';
import { createZone } from './create-zone.ts';
import { dropDeadLetters, getDeadLetter, listDeadLetters, redriveDeadLetters } from './dead-letters.ts';
import { debugNode } from './debug-node.ts';
import { listQueues, listRules } from './debug-queues.ts';
import { debugZone } from './debug-zone.ts';
import { deleteZone } from './delete-zone.ts';
import { editSystems } from './edit-systems.ts';
import { explain, history } from './explain.ts';
import { graph } from './graph.ts';
import { listNodePool } from './list-node-pool.ts';
import { getService, listServices } from './list-services.ts';
import { listSystems } from './list-systems.ts';
import { listZones } from './list-zones.ts';
import { startMero, stopMero } from './mero.ts';
import { getMeroFacts, syncMero } from './mero-facts.ts';
import { beginMeroLoad, deleteMeroLoad, finishMeroLoad, putMeroLayout, putMeroServers } from './mero-loads.ts';
import { getMeroNode, removeHalonNode, removeMeroNode, startMeroNode, stopMeroNode } from './mero-nodes.ts';
import { getMeroConfiguration, getMeroProcess, removeMeroProcess, startMeroProcess, stopMeroProcess } from './mero-processes.ts';
import { resetMero } from './mero-reset.ts';
import { meroStatus } from './mero-status.ts';
import { updateMero } from './mero-update.ts';
import { editMeroVars, getMeroVars } from './mero-vars.ts';
import { appendMetadata, deleteMetadata, getMetadata, listMetadata, putMetadata } from './metadata.ts';
import { admitHosts, rejectHosts } from './node-pool.ts';
import { createNodeToken, listNodeTokens, revokeNodeToken } from './node-tokens.ts';
import { dropNode, editNode, getNode, leaveNode, listNodes } from './nodes.ts';
import { createOnboardingToken, listOnboardingTokens, revokeOnboardingToken } from './onboarding-tokens.ts';
import { editSettings, getSettings, openapi, status } from './overview.ts';
import { pinSystems, unpinSystems } from './pin-systems.ts';
import { recordingReach } from './reached.ts';
import { removeNode } from './remove-node.ts';
import { replaceNode } from './replace-node.ts';
import { takeReports } from './reports.ts';
import { deleteHalonRole, deleteMeroRole, listHalonRoles, listMeroRoles, putHalonRole, putMeroRole } from './roles.ts';
import { deleteServiceType, getServiceType, listServiceTypes, putServiceType } from './service-types.ts';
import { checkService, reconfigureService, sendService, startService, statusService, stopService } from './services.ts';
import { editPower, getSiteOrders, orderOnSite } from './site-orders.ts';
import { getStations, putStations, resetStations } from './stations.ts';
import { listSubjects, lockSubject, unlockSubject } from './subjects.ts';
import { ban, editSystem, getSystem, unregister } from './systems.ts';
import { listTokenKeys, rotateTokenKeys } from './token-keys.ts';
import { traceNode } from './trace-node.ts';
import {
  addWebhook,
  enableWebhook,
  listDeliveries,
  listWebhooks,
  removeWebhook,
  replayDeliveries,
  rotateWebhook,
  testWebhook,
} from './webhooks.ts';
import { calmZone, freezeZone, unfreezeZone } from './zone-brakes.ts';
import { editZone, getZone } from './zones.ts';

/** The admin API, one handler a route of the contract. */
export const adminHandlers: Handlers<typeof adminRoutes, AdminCaller> = recordingReach({
  status,
  listNodes,
  getNode,
  editNode,
  takeReports,
  leaveNode,
  dropNode,
  replaceNode,
  removeNode,
  createNodeToken,
  listNodeTokens,
  revokeNodeToken,
  listNodePool,
  admitHosts,
  rejectHosts,
  listAdmissionRules,
  addAdmissionRule,
  deleteAdmissionRule,
  listSystems,
  getSystem,
  editSystem,
  editSystems,
  pinSystems,
  unpinSystems,
  accept,
  unregister,
  ban,
  listMetadata,
  getMetadata,
  putMetadata,
  appendMetadata,
  deleteMetadata,
  createOnboardingToken,
  listOnboardingTokens,
  revokeOnboardingToken,
  listAudit,
  verifyAudit,
  listDeadLetters,
  getDeadLetter,
  redriveDeadLetters,
  dropDeadLetters,
  createKey,
  listKeys,
  revokeKey,
  listSubjects,
  lockSubject,
  unlockSubject,
  createSignInLink,
  signIn,
  signOut,
  waysToSignIn,
  whoAmI,
  listTokenKeys,
  rotateTokenKeys,
  addWebhook,
  listWebhooks,
  removeWebhook,
  enableWebhook,
  rotateWebhook,
  testWebhook,
  listDeliveries,
  replayDeliveries,
  listZones,
  getZone,
  createZone,
  editZone,
  deleteZone,
  addMeroProcesses,
  getMeroProcess,
  getMeroConfiguration,
  startMeroProcess,
  stopMeroProcess,
  removeMeroProcess,
  getMeroNode,
  startMeroNode,
  stopMeroNode,
  removeMeroNode,
  removeHalonNode,
  listMeroRoles,
  putMeroRole,
  deleteMeroRole,
  listHalonRoles,
  putHalonRole,
  deleteHalonRole,
  startService,
  stopService,
  reconfigureService,
  checkService,
  statusService,
  sendService,
  calmZone,
  freezeZone,
  unfreezeZone,
  getStations,
  listQueues,
  listRules,
  debugZone,
  debugNode,
  traceNode,
  putStations,
  resetStations,
  getSiteOrders,
  orderOnSite,
  editPower,
  meroStatus,
  startMero,
  stopMero,
  resetMero,
  updateMero,
  graph,
  listServiceTypes,
  getServiceType,
  putServiceType,
  deleteServiceType,
  listServices,
  getService,
  getMeroVars,
  editMeroVars,
  beginMeroLoad,
  putMeroLayout,
  putMeroServers,
  finishMeroLoad,
  deleteMeroLoad,
  getMeroFacts,
  syncMero,
  explain,
  history,
  getSettings,
  editSettings,
  openapi,
});
