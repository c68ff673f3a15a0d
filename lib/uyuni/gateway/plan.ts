import type { Signature } from '../api/methods.ts';
import type { Fault } from '../xml-rpc/value.ts';
import type { Directory } from './directory.ts';
import { faults } from './faults.ts';
import { numberOf } from './numbers.ts';
import { type Route, refusals } from './route.ts';
import { intOf, type Typed, wholeOf } from './typed.ts';

/** A call as it goes to one node. */
export type NodeCall = { readonly node: string; readonly params: readonly Typed[] };

/** Which nodes are asked what, or why none is. */
export type Plan =
  | { readonly to: 'any' | 'all'; readonly params: readonly Typed[] }
  | { readonly to: 'one'; readonly call: NodeCall }
  | { readonly to: 'several'; readonly calls: readonly NodeCall[]; readonly gives: 'lists' | 'done' }
  | { readonly to: 'nobody'; readonly fault: Fault };

/** A call by a form of a method; `params` come without the session key. */
export type FormCall = { readonly name: string; readonly form?: Signature | undefined; readonly params: readonly Typed[] };

/** Carries a fault out of the translation. */
class Refused extends Error {
  readonly fault: Fault;
  constructor(fault: Fault) {
    super(fault.text);
    this.fault = fault;
  }
}

/** Which nodes are asked: cluster ids become numbers of the nodes on which their systems live. */
export function planOf(route: Exclude<Route, { to: 'gateway' }>, call: FormCall, directory: Directory, seat: string | undefined): Plan {
  try {
    return planned(route, call, directory, seat);
  } catch (error) {
    if (error instanceof Refused) return { to: 'nobody', fault: error.fault };
    throw error;
  }
}

function planned(route: Exclude<Route, { to: 'gateway' }>, call: FormCall, directory: Directory, seat: string | undefined): Plan {
  const { name, params } = call;
  switch (route.to) {
    case 'any':
    case 'all':
      return { to: route.to, params };
    case 'seat':
      if (seat === undefined || !directory.nodes().some((node) => node.name === seat)) return refused(name, refusals.noSeat);
      return { to: 'one', call: { node: seat, params } };
    case 'home':
      return homeOf(call, directory);
    case 'split':
      return splitOf(route.gives, call, directory);
    case 'refused':
      return refused(name, route.why);
    default:
      return { to: 'nobody', fault: faults.invalid(name) };
  }
}

const refused = (name: string, why: string): Plan => ({ to: 'nobody', fault: faults.unsupported(name, why) });

function homeOf(call: FormCall, directory: Directory): Plan {
  const nodes = [...new Set(systemsIn(call).map((id) => nodeOf(id, directory)))];
  const [node] = nodes;
  if (node === undefined) throw new Refused(faults.noSuchSystem(0));
  if (nodes.length > 1) return refused(call.name, `${refusals.severalHomes}: ${listed(nodes)}`);
  return { to: 'one', call: { node, params: translated(call, node, directory) } };
}

function splitOf(gives: 'lists' | 'done' | 'one-action', call: FormCall, directory: Directory): Plan {
  const nodes = [...new Set(listsIn(call).map((id) => nodeOf(id, directory)))].sort();
  // No system: any node answers as it does for none, unless another argument names one.
  if (nodes.length === 0) return systemsIn(call).length > 0 ? homeOf(call, directory) : { to: 'any', params: call.params };
  const calls = nodes.map((node) => ({ node, params: translated(call, node, directory) }));
  const [one] = calls;
  if (one && calls.length === 1) return { to: 'one', call: one };
  if (gives === 'one-action') return refused(call.name, `${refusals.oneAction} (${listed(nodes)})`);
  return { to: 'several', calls, gives };
}

/** At most so many nodes are named in a fault. */
const namedMax = 5;
const listed = (nodes: readonly string[]): string =>
  nodes.length > namedMax ? `${nodes.slice(0, namedMax).join(', ')} and ${nodes.length - namedMax} others` : nodes.join(', ');

function nodeOf(id: number, directory: Directory): string {
  const home = directory.homeOf(id);
  if (!home) throw new Refused(faults.noSuchSystem(id));
  return home.node;
}

const isSystem = ({ form }: FormCall, n: number): boolean => {
  const param = form?.params[n];
  return param !== undefined && numberOf(param) === 'system';
};

/** The cluster ids in the arguments. A number below 1 stands for no system, such as for no proxy. */
const systemsIn = (call: FormCall): number[] => call.params.flatMap((param, n) => (isSystem(call, n) ? idsOf(param) : []));
const listsIn = (call: FormCall): number[] =>
  call.params.flatMap((param, n) => (isSystem(call, n) && 'items' in param ? idsOf(param) : []));
const idsOf = (param: Typed): number[] => ('items' in param ? param.items : [param]).map(idOf).filter((id) => id > 0);

function idOf(value: Typed): number {
  const id = wholeOf(value);
  if (id === undefined) throw new Refused(faults.invalid('a list of systems has something that is no number'));
  return id;
}

/** The arguments for one node: lists have the systems that live there, and any other system must live there as well. */
function translated(call: FormCall, node: string, directory: Directory): Typed[] {
  const localOf = (id: number): number => {
    const home = directory.homeOf(id);
    if (!home) throw new Refused(faults.noSuchSystem(id));
    if (home.node !== node) throw new Refused(faults.unsupported(call.name, `${refusals.severalHomes}: ${node}, ${home.node}`));
    return home.localId;
  };
  return call.params.map((param, n) => {
    if (!isSystem(call, n)) return param;
    if (!('items' in param)) return idOf(param) > 0 ? intOf(localOf(idOf(param))) : param;
    const own = idsOf(param).filter((id) => directory.homeOf(id)?.node === node);
    return { type: 'array', items: own.map((id) => intOf(localOf(id))) };
  });
}
