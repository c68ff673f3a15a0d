import { few } from '../../core/few.ts';
import type { Signature } from '../api/methods.ts';
import type { Fault } from '../xml-rpc/value.ts';
import type { ActionPart, KnownActions } from './actions.ts';
import type { Directory } from './directory.ts';
import { faults } from './faults.ts';
import { type NumberOf, numberOf } from './numbers.ts';
import { type Route, refusals } from './route.ts';
import { intOf, type Typed, wholeOf } from './typed.ts';

/** A call as it goes to one node. */
export type NodeCall = { readonly node: string; readonly params: readonly Typed[] };

/**
 * What nodes answer that are asked together: lists of what they have done, that they have done it, the number of their
 * part of one action, or what they read.
 */
export type Gives = 'lists' | 'done' | 'one-action' | 'answers';

/** Which nodes are asked what, or why none is. `known`: what numbers of actions in the call stand for. */
export type Plan =
  | { readonly to: 'any' | 'all'; readonly params: readonly Typed[] }
  | { readonly to: 'one'; readonly call: NodeCall; readonly known?: KnownActions }
  | { readonly to: 'several'; readonly calls: readonly NodeCall[]; readonly gives: Gives; readonly known?: KnownActions }
  | { readonly to: 'nobody'; readonly fault: Fault };

/** A call by a form of a method; `params` come without the session key. */
export type FormCall = { readonly name: string; readonly form?: Signature | undefined; readonly params: readonly Typed[] };

/** The server on which common content is edited now, or why it is edited on none. */
export type SeatFound = { readonly node: string } | { readonly why: string };

/** Carries a fault out of the translation. */
class Refused extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.text);
    this.fault = fault;
  }
}

/** Which nodes are asked: cluster ids become numbers of the nodes on which their systems live, and actions are. */
export function planOf(
  route: Exclude<Route, { to: 'gateway' }>,
  call: FormCall,
  directory: Directory,
  seat: SeatFound,
  known: KnownActions = new Map(),
): Plan {
  try {
    return planned(route, call, { directory, known }, seat);
  } catch (error) {
    if (error instanceof Refused) return { to: 'nobody', fault: error.fault };
    throw error;
  }
}

/** What numbers in a call are on nodes: those of systems and of actions. */
type Numbers = { readonly directory: Directory; readonly known: KnownActions };

function planned(route: Exclude<Route, { to: 'gateway' }>, call: FormCall, numbers: Numbers, seat: SeatFound): Plan {
  const { name, params } = call;
  const { directory } = numbers;
  switch (route.to) {
    case 'any':
    case 'all':
      return { to: route.to, params };
    case 'seat':
      if ('why' in seat) return refused(name, seat.why);
      if (!directory.nodes().some((node) => node.name === seat.node)) return refused(name, refusals.noSeat);
      return { to: 'one', call: { node: seat.node, params } };
    case 'home':
      return homeOf(call, numbers);
    case 'split':
      return splitOf(route.gives, call, numbers);
    case 'actions':
      return actionsOf(route.gives, call, numbers);
    case 'refused':
      return refused(name, route.why);
    default:
      return { to: 'nobody', fault: faults.invalid(name) };
  }
}

const refused = (name: string, why: string): Plan => ({ to: 'nobody', fault: faults.unsupported(name, why) });

function homeOf(call: FormCall, numbers: Numbers): Plan {
  const nodes = [...new Set(systemsIn(call).map((id) => nodeOf(id, numbers.directory)))];
  const [node] = nodes;
  if (node === undefined) throw new Refused(faults.noSuchSystem(0));
  if (nodes.length > 1) return refused(call.name, `${refusals.severalHomes}: ${listed(nodes)}`);
  return { to: 'one', call: { node, params: translated(call, node, numbers) } };
}

function splitOf(gives: 'lists' | 'done' | 'one-action', call: FormCall, numbers: Numbers): Plan {
  const nodes = [...new Set(listsIn(call).map((id) => nodeOf(id, numbers.directory)))].sort();
  // No system: any node answers as it does for none, unless another argument names one.
  if (nodes.length === 0) return systemsIn(call).length > 0 ? homeOf(call, numbers) : { to: 'any', params: call.params };
  const calls = nodes.map((node) => ({ node, params: translated(call, node, numbers) }));
  const [one] = calls;
  if (one && calls.length === 1) return { to: 'one', call: one };
  return { to: 'several', calls, gives };
}

/** The nodes that have parts of the actions; each is asked about its own. */
function actionsOf(gives: 'answers' | 'done', call: FormCall, numbers: Numbers): Plan {
  const { known } = numbers;
  const actions = call.params.flatMap((param, n) => (isOf('action', call, n) ? wholesIn(param, 'actions') : []));
  // No action: any node answers as it does for none.
  if (actions.length === 0) return { to: 'any', params: call.params };
  const nodes = [...new Set(actions.flatMap((number) => partsOf(number, known).map(({ node }) => node)))].sort();
  const calls = nodes.map((node) => ({ node, params: translated(call, node, numbers) }));
  const [one] = calls;
  return one && calls.length === 1 ? { to: 'one', call: one, known } : { to: 'several', calls, gives, known };
}

function partsOf(number: number, known: KnownActions): readonly ActionPart[] {
  const parts = known.get(number) ?? [];
  if (parts.length === 0) throw new Refused(faults.noSuchAction(number));
  return parts;
}

/**
 * The numbers of actions in the arguments of a call. What is no number is left out; it is refused when it is planned.
 */
export const actionsIn = (call: FormCall): number[] =>
  call.params.flatMap((param, n) => (isOf('action', call, n) ? valuesIn(param).flatMap((value) => wholeOf(value) ?? []) : []));

/** At most so many nodes are named in a fault. */
const namedMax = 5;
const listed = (nodes: readonly string[]): string => few(nodes, namedMax);

function nodeOf(id: number, directory: Directory): string {
  const home = directory.homeOf(id);
  if (!home) throw new Refused(faults.noSuchSystem(id));
  return home.node;
}

const isOf = (what: NumberOf, { form }: FormCall, n: number): boolean => {
  const param = form?.params[n];
  return param !== undefined && numberOf(param) === what;
};

/** The cluster ids in the arguments. A number below 1 stands for no system, such as for no proxy. */
const systemsIn = (call: FormCall): number[] => call.params.flatMap((param, n) => (isOf('system', call, n) ? idsOf(param) : []));
const listsIn = (call: FormCall): number[] =>
  call.params.flatMap((param, n) => (isOf('system', call, n) && 'items' in param ? idsOf(param) : []));
const idsOf = (param: Typed): number[] => wholesIn(param).filter((id) => id > 0);

const valuesIn = (param: Typed): readonly Typed[] => ('items' in param ? param.items : [param]);
const wholesIn = (param: Typed, of = 'systems'): number[] => valuesIn(param).map((value) => idOf(value, of));

function idOf(value: Typed, of = 'systems'): number {
  const id = wholeOf(value);
  if (id === undefined) throw new Refused(faults.invalid(`a list of ${of} has something that is no number`));
  return id;
}

/** The arguments for one node: lists have the systems that live there, and any other system must live there as well. */
function translated(call: FormCall, node: string, { directory, known }: Numbers): Typed[] {
  const localOf = (id: number): number => {
    const home = directory.homeOf(id);
    if (!home) throw new Refused(faults.noSuchSystem(id));
    if (home.node !== node) throw new Refused(faults.unsupported(call.name, `${refusals.severalHomes}: ${node}, ${home.node}`));
    return home.localId;
  };
  return call.params.map((param, n) => {
    if (isOf('action', call, n)) return actionsAt(param, node, known);
    if (!isOf('system', call, n)) return param;
    if (!('items' in param)) return idOf(param) > 0 ? intOf(localOf(idOf(param))) : param;
    const own = idsOf(param).filter((id) => directory.homeOf(id)?.node === node);
    return { type: 'array', items: own.map((id) => intOf(localOf(id))) };
  });
}

/** Numbers of actions as a node has them: a list has those that have a part there, and any other must have one. */
function actionsAt(param: Typed, node: string, known: KnownActions): Typed {
  const there = (number: number): number[] => partsOf(number, known).flatMap((part) => (part.node === node ? [part.id] : []));
  if ('items' in param) return { type: 'array', items: wholesIn(param, 'actions').flatMap(there).map(intOf) };
  const number = idOf(param, 'actions');
  const [id] = there(number);
  if (id === undefined) throw new Refused(faults.noSuchAction(number));
  return intOf(id);
}
