import { createKey, createSignInLink, listKeys, revokeKey, signOut, waysToSignIn, whoAmI } from '../access/api-keys/handlers/keys.ts';
import { signIn } from '../access/api-keys/handlers/sign-in.ts';
import { beginAtIssuer, renewSession, returnFromIssuer } from '../access/sessions/handlers/issuer.ts';
import { beginSession, endSession, getSession } from '../access/sessions/handlers/session.ts';
import { listSubjects, lockSubject, unlockSubject } from '../access/subjects/handlers.ts';
import { listTokenKeys, rotateTokenKeys } from '../access/token-keys/handlers.ts';
import type { AdminCaller } from '../access/verify-admin.ts';
import { adminRoutes } from '../admin-contract.ts';
import { listAudit } from '../audit/handlers/list.ts';
import { verifyAudit } from '../audit/handlers/verify.ts';
import { cancelSystemAction } from '../clients/actions/handlers/cancel.ts';
import { actOnSystems } from '../clients/actions/handlers/order.ts';
import { systemAction } from '../clients/actions/handlers/show.ts';
import { accept } from '../clients/handlers/accept.ts';
import { editSystems } from '../clients/handlers/edit.ts';
import { findSystems } from '../clients/handlers/find.ts';
import { listSystems } from '../clients/handlers/list.ts';
import { pinSystems, settleSystems, unpinSystems } from '../clients/handlers/pin.ts';
import { replaceSystem } from '../clients/handlers/replace.ts';
import { ban, editSystem, getSystem, unregister } from '../clients/handlers/systems.ts';
import { appendMetadata, deleteMetadata, getMetadata, listMetadata, putMetadata } from '../clients/metadata/handlers/admin.ts';
import { createOnboardingToken, listOnboardingTokens, revokeOnboardingToken } from '../clients/onboarding-tokens/handlers.ts';
import { listRefusedKnocks } from '../clients/refusals/handlers.ts';
import { applyContent, diffContent, getContent, resumeContent, rollBackContent } from '../content/revisions/handlers/admin.ts';
import { editContent, endEditing, finishEditing, getSeat, markSynced } from '../content/seat/handlers.ts';
import { dropDeadLetters, getDeadLetter, listDeadLetters, redriveDeadLetters } from '../dead-letters/handlers.ts';
import { listChanges } from '../journal/handlers.ts';
import { resetMero } from '../mero/clusters/handlers/reset.ts';
import { startMero, stopMero } from '../mero/clusters/handlers/start.ts';
import { meroStatus } from '../mero/clusters/handlers/status.ts';
import { updateMero } from '../mero/clusters/handlers/update.ts';
import { editMeroVars, getMeroVars } from '../mero/clusters/handlers/vars.ts';
import { getMeroFacts, syncMero } from '../mero/facts/handlers.ts';
import { beginMeroLoad, deleteMeroLoad, finishMeroLoad, putMeroLayout, putMeroServers } from '../mero/loads/handlers/loads.ts';
import { getMeroNode, removeHalonNode, removeMeroNode, startMeroNode, stopMeroNode } from '../mero/nodes/handlers.ts';
import { addMeroProcesses } from '../mero/processes/handlers/add.ts';
import {
  getMeroConfiguration,
  getMeroProcess,
  removeMeroProcess,
  startMeroProcess,
  stopMeroProcess,
} from '../mero/processes/handlers/processes.ts';
import { deleteHalonRole, deleteMeroRole, listHalonRoles, listMeroRoles, putHalonRole, putMeroRole } from '../mero/roles/handlers.ts';
import { admitHosts, rejectHosts } from '../nodes/admission/handlers/admit.ts';
import { listNodePool } from '../nodes/admission/handlers/list-pool.ts';
import { addAdmissionRule, deleteAdmissionRule, listAdmissionRules } from '../nodes/admission/handlers/rules.ts';
import { traceNode } from '../nodes/desired/handlers.ts';
import { dropNode, editNode, getNode, leaveNode, listNodes } from '../nodes/handlers/admin.ts';
import { removeNode } from '../nodes/handlers/remove.ts';
import { replaceNode } from '../nodes/handlers/replace.ts';
import { createNodeToken, listNodeTokens, revokeNodeToken } from '../nodes/join-tokens/handlers.ts';
import type { Handlers } from '../runtime/on-route.ts';
import { getService, listServices } from '../services/handlers/list.ts';
import { checkService, reconfigureService, sendService, startService, statusService, stopService } from '../services/handlers/orders.ts';
import { deleteServiceType, getServiceType, listServiceTypes, putServiceType } from '../services/handlers/types.ts';
import { getStations, putStations, resetStations } from '../stations/handlers/admin.ts';
import { editPower, getSiteOrders, orderOnSite } from '../stations/site-orders/handlers.ts';
import { findActions, getAction, recordAction, reserveActionNumbers } from '../uyuni/actions/handlers/actions.ts';
import { adoption, orderAdoption as adoptSystems } from '../uyuni/adoption/handlers/order.ts';
import { enterByForm, enterNode } from '../uyuni/enter/handlers/enter.ts';
import {
  addWebhook,
  enableWebhook,
  listDeliveries,
  listWebhooks,
  removeWebhook,
  replayDeliveries,
  rotateWebhook,
  testWebhook,
} from '../webhooks/handlers/admin.ts';
import { calmZone, freezeZone, unfreezeZone } from '../zones/guardrails/handlers.ts';
import { createZone } from '../zones/handlers/create.ts';
import { listZones } from '../zones/handlers/list.ts';
import { editZone, getZone } from '../zones/handlers/zones.ts';
import { zoneMap } from '../zones/map/handlers.ts';
import { debugNode } from './debug/node.ts';
import { listQueues, listRules } from './debug/queues.ts';
import { debugZone } from './debug/zone.ts';
import { deleteZone } from './delete-zone/delete-zone.ts';
import { explain, history } from './explain/explain.ts';
import { findThings } from './find/find.ts';
import { graph } from './graph.ts';
import { takeReports } from './ingest.ts';
import { previewZone } from './preview/preview.ts';
import { previewStorage } from './preview/storage-preview.ts';
import { recordingReach } from './reached.ts';
import { editSettings, getSettings, openapi, status } from './status.ts';

/** The admin API, one handler for each route of the contract. */
export const adminHandlers: Handlers<typeof adminRoutes, AdminCaller> = recordingReach(adminRoutes, {
  status,
  listNodes,
  getNode,
  editNode,
  takeReports,
  leaveNode,
  dropNode,
  replaceNode,
  adoptSystems,
  adoption,
  enterNode,
  enterByForm,
  reserveActionNumbers,
  recordAction,
  getAction,
  findActions,
  getSeat,
  getContent,
  applyContent,
  rollBackContent,
  resumeContent,
  diffContent,
  editContent,
  finishEditing,
  endEditing,
  markSynced,
  actOnSystems,
  systemAction,
  cancelSystemAction,
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
  findSystems,
  getSystem,
  editSystem,
  editSystems,
  pinSystems,
  unpinSystems,
  accept,
  unregister,
  settleSystems,
  replaceSystem,
  ban,
  listMetadata,
  getMetadata,
  putMetadata,
  appendMetadata,
  deleteMetadata,
  createOnboardingToken,
  listOnboardingTokens,
  listRefusedKnocks,
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
  getSession,
  beginSession,
  endSession,
  renewSession,
  beginAtIssuer,
  returnFromIssuer,
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
  zoneMap,
  previewZone,
  previewStorage,
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
  findThings,
  listChanges,
  getSettings,
  editSettings,
  openapi,
});
