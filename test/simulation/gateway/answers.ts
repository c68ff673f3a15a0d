import { type Fault, isStruct, type Value } from '../../../lib/uyuni/xml-rpc/value.ts';
import type { Estate } from './estate.ts';

/** A system in an answer: the number that was sent, and its minion id. */
export type Item = { readonly number: number; readonly minion: string };

/** What a server answers to a call; `items` are the systems in it, in their order, and `action` what it scheduled. */
export type Answer = { readonly value: Value; readonly items?: readonly Item[]; readonly action?: number } | { readonly fault: Fault };

/** What an answer rests on: the server that gives it, and a mark of the one answer that stands in all of it. */
export type Giving = {
  readonly estate: Estate;
  readonly node: string;
  readonly mark: string;
  /** What the server has scheduled: the systems of each action, whose number there is its place, from 1 on. */
  readonly actions: (readonly Item[])[];
};

/** Counters of a group are a digit of its own for each server, so that a sum says who was counted. */
export const counterOf = (estate: Estate, node: string): number => 10 ** estate.nodes.indexOf(node);

const noSuchSystem = (id: Value | undefined): Answer => ({ fault: { code: -208, text: `No such system - sid[${String(id)}]` } });

/** Lists of systems have their numbers as `id`, and those of an action as `server_id`. */
const ofActions = 'schedule.listInProgressSystems';

/** The systems of an answer to a method as structs, each with the mark of the answer and its place in it. */
export const structsOf = (method: string, items: readonly Item[], mark: string): Value[] =>
  items.map(({ number, minion }, n) => {
    const system = method === ofActions ? { server_id: number, server_name: minion } : { id: number, name: minion };
    return { ...system, served: `${mark}#${n}` };
  });

/** The struct with a mark in a value of the gateway: whose answer it is from, and at which place it stood there. */
export function markIn(value: Value): { readonly n: number; readonly place: number } | undefined {
  if (!isStruct(value)) return undefined;
  const [, n, place = '0'] = /^(\d+)(?:#(\d+))?$/.exec(String(value['served'])) ?? [];
  return n === undefined ? undefined : { n: Number(n), place: Number(place) };
}

/** What a server answers to the methods that people call here; undefined for any other. */
export function answerTo(method: string, params: readonly Value[], giving: Giving): Answer | undefined {
  const { estate, node, mark, actions } = giving;
  const own = estate.on(node).map(({ machine, number }): Item => ({ number, minion: machine.minion }));
  const listed = (items: readonly Item[]): Answer => ({ value: structsOf(method, items, mark), items });
  const [first, second] = params;
  switch (method) {
    case 'system.listSystems':
    case 'system.listActiveSystems':
      return listed(own);
    case 'system.searchByName':
      return listed(own.filter(({ minion }) => minion.includes(String(first))));
    case 'system.getMinionIdMap':
      return { value: Object.fromEntries(own.map(({ minion, number }) => [minion, number])), items: own };
    case 'system.scheduleReboot':
      return ofSeveral(own, [first ?? 0], (items) => scheduled(actions, items));
    case 'system.scheduleApplyHighstate':
      return ofSeveral(own, first, (items) => scheduled(actions, items));
    case ofActions:
      return ofAction(actions, own, first, listed);
    case 'system.getDetails':
    case 'system.setCustomValues':
      return ofOne(method, own, first, mark);
    case 'system.listActiveSystemsDetails':
      return ofSeveral(own, first, (items) => listed(items));
    case 'systemgroup.addOrRemoveSystems':
      return ofSeveral(own, second, () => ({ value: 1 }));
    case 'systemgroup.listAllGroups':
      return { value: [{ id: node.length, name: 'web', system_count: counterOf(estate, node), org_id: 1 }] };
    case 'channel.software.listArches':
      return { value: [{ name: node, label: 'channel-x86_64', served: mark }] };
    case 'user.getDetails':
      return { value: { first_name: node, served: mark } };
    default:
      return undefined;
  }
}

function ofOne(method: string, own: readonly Item[], id: Value | undefined, mark: string): Answer {
  const item = own.find(({ number }) => number === id);
  if (!item) return noSuchSystem(id);
  if (method !== 'system.getDetails') return { value: 1 };
  return { value: structsOf(method, [item], mark)[0]!, items: [item] };
}

function ofSeveral(own: readonly Item[], ids: Value | undefined, answer: (items: readonly Item[]) => Answer): Answer {
  const asked = (Array.isArray(ids) ? ids : []) as readonly Value[];
  const items = asked.map((id) => own.find(({ number }) => number === id));
  const missing = items.indexOf(undefined);
  return missing >= 0 ? noSuchSystem(asked[missing]) : answer(items.filter((item) => item !== undefined));
}

/** Every server counts its actions from 1, so that all have the same numbers. */
function scheduled(actions: (readonly Item[])[], items: readonly Item[]): Answer {
  actions.push(items);
  return { value: actions.length, action: actions.length };
}

/** The systems of an action that the server still has. */
function ofAction(
  actions: readonly (readonly Item[])[],
  own: readonly Item[],
  id: Value | undefined,
  listed: (items: readonly Item[]) => Answer,
): Answer {
  const action = typeof id === 'number' ? actions[id - 1] : undefined;
  if (!action) return { fault: { code: 2700, text: `Could not find action with id: ${String(id)}` } };
  return listed(action.filter(({ number }) => own.some((one) => one.number === number)));
}
