import type { Signature } from '../api/methods.ts';

/**
 * What a number in a call counts. `system`: a system, whose number in the cluster is translated. `action`: an
 * action, whose number in the cluster is translated to one on each server that has a part of it. `of-system`: something
 * that a system has on its server, such as a note. `content`: common content, such as a package, which has another
 * number on each server. `amount`: no number of anything.
 */
export type NumberOf = 'system' | 'action' | 'of-system' | 'content' | 'amount';

const systems: ReadonlySet<string> = new Set([
  ...['sid', 'sids', 'sid1', 'sid2', 'sidd', 'serverId', 'serverIds', 'systemId', 'targetServerId', 'sourceServerId'],
  ...['proxyId', 'proxy', 'hostId', 'controlNodeId', 'buildHostId'],
]);
const actions: ReadonlySet<string> = new Set(['actionId', 'actionIds']);
const ofSystems: ReadonlySet<string> = new Set(['eid', 'noteId', 'snapId', 'profileId', 'xid', 'resultId']);
const amounts: ReadonlySet<string> = new Set([
  ...['days', 'daysInactive', 'duration', 'limit', 'offset', 'timeout', 'popularityCount', 'usageLimit', 'sourcePosition'],
  ...['sshPort', 'port', 'bastionPort', 'proxyPort', 'maxCache', 'memoryMb', 'storageGb', 'vcpus', 'add', 'val', 'usePamAuth'],
  ...['state', 'versionConstraint'],
]);

/** The documentation of `system.listPackagesLockStatus` calls its number of a system a text. */
const isNumber = ({ name, type }: Signature['params'][number]): boolean =>
  /^(array<)?(int|long)\b/.test(type) || (name === 'sid' && type === 'string');
/** A member of a struct that is the number of something: `id`, `entity_id`, `scapContentId`. */
const numberInStruct = /\b(id|\w*(_id|Id)):(int|long)\b/;

/**
 * What a parameter counts; undefined where it is no number. What is not known to be anything else counts as content, so
 * that no number reaches a server on which it means something else.
 */
export function numberOf(param: Signature['params'][number]): NumberOf | undefined {
  const { name, type } = param;
  if (!isNumber(param)) return type.includes('struct{') && numberInStruct.test(type) ? 'content' : undefined;
  if (systems.has(name)) return 'system';
  if (actions.has(name)) return 'action';
  if (ofSystems.has(name)) return 'of-system';
  return amounts.has(name) ? 'amount' : 'content';
}

/** Whether a form has a parameter that counts this. */
export const counts = ({ params }: Signature, what: NumberOf): boolean => params.some((param) => numberOf(param) === what);
