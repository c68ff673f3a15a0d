import type { adminRoutes } from '../../api/admin-routes.ts';
import type { Handlers } from '../../runtime/on-route.ts';
import { dropDeadLetters, getDeadLetter, listDeadLetters, redriveDeadLetters } from './dead-letters.ts';
import { explain, history } from './explain.ts';
import { listSystems } from './list-systems.ts';
import { dropNode, editNode, getNode, leaveNode, listNodes } from './nodes.ts';
import { editSettings, getSettings, openapi, status } from './overview.ts';
import { accept, ban, editSystem, getSystem, unregister } from './systems.ts';
import { listTokenKeys, rotateTokenKeys } from './token-keys.ts';
import { getZone, listZones } from './zones.ts';

/** The admin API, one handler a route of the contract. */
export const adminHandlers: Handlers<typeof adminRoutes> = {
  status,
  listNodes,
  getNode,
  editNode,
  leaveNode,
  dropNode,
  listSystems,
  getSystem,
  editSystem,
  accept,
  unregister,
  ban,
  listDeadLetters,
  getDeadLetter,
  redriveDeadLetters,
  dropDeadLetters,
  listTokenKeys,
  rotateTokenKeys,
  listZones,
  getZone,
  explain,
  history,
  getSettings,
  editSettings,
  openapi,
};
