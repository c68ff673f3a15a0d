import { readsUnmarked } from '../../../lib/uyuni/api/common-writes.ts';
import { methods, type Signature } from '../../../lib/uyuni/api/methods.ts';
import { numberOf } from '../../../lib/uyuni/gateway/numbers.ts';
import { DateTime, type Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import { between, oneOf, type Random } from '../random.ts';
import type { Estate } from './estate.ts';
import type { Asked } from './exchange.ts';
import { drawHubCall } from './hub-repertoire.ts';
import type { KnownActions } from './promise.ts';

/** What a call is of, as a person thinks of it. */
export type Call = Pick<Asked, 'method' | 'params' | 'systems' | 'token' | 'servers' | 'as' | 'follows'>;

const tables = [...methods].flatMap(([name, forms]) => forms.map((form) => ({ name, form })));
const isRead = (name: string, { reads }: Signature): boolean => reads || readsUnmarked.includes(name);
const drawnCommon = tables.filter(({ name, form }) => form.routing === 'CW' && !isRead(name, form) && form.auth === 'session');

const lists = [
  'system.listSystems',
  'system.list_systems',
  'system.listActiveSystems',
  'system.getMinionIdMap',
  'systemgroup.listAllGroups',
];
const commonReads: readonly (readonly [string, ...Value[]])[] = [['channel.software.listArches'], ['user.getDetails', 'grace & co']];

/** Draws calls: lists most often, calls about systems, writes about them, common content, and calls of the hub. */
export function drawCall(random: Random, estate: Estate, token: string, actions: KnownActions): Call {
  const drawn = random();
  const none = { systems: [], token: undefined };
  if (drawn < 0.27) return { method: oneOf(random, lists)!, params: [], ...none };
  if (drawn < 0.32) return { method: 'system.searchByName', params: ['1'], ...none };
  if (drawn < 0.42) return ofOne(random, estate, token);
  if (drawn < 0.62) return ofSeveral(random, estate, token);
  if (drawn < 0.72) {
    const [method, ...params] = oneOf(random, commonReads)!;
    return { method, params, ...none };
  }
  if (drawn < 0.8) return commonWrite(random, estate, token);
  if (drawn < 0.81) return { method: 'custom.createThing', params: [token], systems: [], token };
  if (drawn < 0.82) return { method: 'custom.listThings', params: [token], ...none };
  if (drawn < 0.83) return { method: 'api.getVersion', params: [], ...none };
  if (drawn < 0.94) return ofActions(random, estate, token, actions);
  if (drawn < 0.97) return anything(random, estate, token);
  return drawHubCall({ random, estate, token, aSystem: () => aSystem(random, estate) });
}

/** A number of a system in the cluster; now and then one of nobody, or a server's own. */
function aSystem(random: Random, estate: Estate): number {
  const drawn = random();
  if (drawn < 0.06) return estate.someNumber(random);
  if (drawn < 0.09) return between(random, 1, 2 ** 31 - 1);
  return oneOf(random, estate.machines)?.clusterId ?? 1;
}

const some = (random: Random, estate: Estate): number[] => [
  ...new Set(Array.from({ length: between(random, 0, 5) }, () => aSystem(random, estate))),
];

function ofOne(random: Random, estate: Estate, token: string): Call {
  const id = aSystem(random, estate);
  const drawn = random();
  if (drawn < 0.5) return { method: 'system.getDetails', params: [id], systems: [id], token: undefined };
  if (drawn < 0.75) return { method: 'system.scheduleReboot', params: [id, new DateTime(token)], systems: [id], token };
  return { method: 'system.setCustomValues', params: [id, { token }], systems: [id], token };
}

function ofSeveral(random: Random, estate: Estate, token: string): Call {
  const systems = some(random, estate);
  if (random() < 0.4) return { method: 'system.listActiveSystemsDetails', params: [systems], systems, token: undefined };
  return { method: 'systemgroup.addOrRemoveSystems', params: [token, systems, random() < 0.5], systems, token };
}

/** Schedules an action for several systems, or follows one that somebody has. */
function ofActions(random: Random, estate: Estate, token: string, actions: KnownActions): Call {
  const followed = random() < 0.5 ? oneOf(random, [...actions.keys()]) : undefined;
  if (followed !== undefined)
    return { method: 'schedule.listInProgressSystems', params: [followed], systems: [], token: undefined, follows: followed };
  const systems = some(random, estate);
  return { method: 'system.scheduleApplyHighstate', params: [systems, new DateTime(token), false], systems, token };
}

function commonWrite(random: Random, estate: Estate, token: string): Call {
  const { name, form } = oneOf(random, drawnCommon)!;
  return callOf(name, form, random, estate, token);
}

function anything(random: Random, estate: Estate, token: string): Call {
  const { name, form } = oneOf(random, tables)!;
  if (name.startsWith('auth.') || form.auth !== 'session') return commonWrite(random, estate, token);
  return callOf(name, form, random, estate, token);
}

/** A call of a form. What counts common content has numbers of systems, which none may get. */
function callOf(method: string, form: Signature, random: Random, estate: Estate, token: string): Call {
  const ids = some(random, estate);
  const id = ids[0] ?? aSystem(random, estate);
  const numbers = form.params.map((param) => numbersFor(param, { id, ids }));
  const params = form.params.map(({ type }, n): Value => numbers[n] ?? valueFor(type, token));
  const systems = numbers.flatMap((one) => one ?? []).filter((one) => one !== anAmount);
  const isTold = form.params.some(({ type }, n) => numbers[n] === undefined && type !== 'boolean' && type !== 'double');
  return { method, params, systems: [...new Set(systems)], token: isTold && !isRead(method, form) ? token : undefined };
}

/** A number of something that no server takes for a system. */
const anAmount = 3;

/** What is passed for a parameter that is a number, or a list of numbers; undefined for any other. */
function numbersFor(
  param: Signature['params'][number],
  { id, ids }: { readonly id: number; readonly ids: readonly number[] },
): number | readonly number[] | undefined {
  const isList = /^array<(int|long)>/.test(param.type);
  if (!isList && param.type !== 'int' && param.type !== 'long') return undefined;
  const counted = numberOf(param);
  if (counted === 'amount' || counted === 'of-system' || counted === 'action') return isList ? [anAmount] : anAmount;
  return isList ? ids : id;
}

function valueFor(type: string, token: string): Value {
  if (type === 'boolean') return true;
  if (type === 'double') return 1.5;
  if (type === 'base64') return Buffer.from(token);
  if (type.startsWith('dateTime')) return new DateTime(token);
  if (type.startsWith('array')) return [token];
  return type.startsWith('struct') || type === 'map' ? { token } : token;
}
