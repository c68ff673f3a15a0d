import { judge } from '../../api/common-writes.ts';
import { methods, type Signature } from '../../api/methods.ts';
import type { Fault } from '../../xml-rpc/value.ts';
import type { Directory } from '../directory.ts';
import { faults } from '../faults.ts';
import { formOf } from '../forms.ts';
import { numberOf } from '../numbers.ts';
import type { SeatFound } from '../plan.ts';
import { editedElsewhere, routeOfUnknown } from '../route.ts';
import { hasNumbers, intOf, type Typed, wholeOf } from '../typed.ts';

/** A call of a method of servers; `params` come without the session. */
export type NamedCall = { readonly name: string; readonly params: readonly Typed[] };

/** What a server that was named is asked, and the form that is meant, if the table has it; or why it is not asked. */
export type NamedPlan = { readonly params: readonly Typed[]; readonly form: Signature | undefined } | { readonly fault: Fault };

/** How a call goes on where there has only ever been one server: as it came. Sessions are the gateway's own, though. */
export function passedOn({ name, params }: NamedCall): NamedPlan {
  if (name.startsWith('auth.')) return { fault: faults.noSuchMethod(name, params) };
  return { params, form: formFor(name, params) };
}

/**
 * How a call goes to the server that its caller names, where there are several: numbers of systems are translated, and
 * all others are that server's own. What changes common content goes to the seat alone.
 */
export function namedPlan(call: NamedCall, node: string, directory: Directory, seat: SeatFound): NamedPlan {
  const { name, params } = call;
  const form = formFor(name, params);
  if (name.startsWith('auth.') || (methods.has(name) && !form)) return { fault: faults.noSuchMethod(name, params) };
  const why = refusalOf(call, form, node, seat);
  if (why !== undefined) return { fault: faults.unsupported(name, why) };
  return form ? translated(params, form, { node, directory }) : { params, form };
}

/** Where a call goes, and what is known about its systems. */
type At = { readonly node: string; readonly directory: Directory };

/** The arguments with the numbers that their systems have on the server. All of these must live there. */
function translated(params: readonly Typed[], form: Signature, at: At): NamedPlan {
  const unknown: Fault[] = [];
  const local = (value: Typed): Typed => {
    const id = wholeOf(value);
    const home = id === undefined ? undefined : at.directory.homeOf(id);
    // A number below 1 stands for no system, such as for no proxy.
    if (id !== undefined && id < 1) return value;
    if (home?.node === at.node) return intOf(home.localId);
    unknown.push(id === undefined ? faults.invalid('a list of systems has something that is no number') : notThere(id, at));
    return value;
  };
  const sent = params.map((param, n) => {
    const declared = form.params[n];
    if (!declared || numberOf(declared) !== 'system') return param;
    return 'items' in param ? { type: 'array' as const, items: param.items.map(local) } : local(param);
  });
  const [fault] = unknown;
  return fault ? { fault } : { params: sent, form };
}

/** The fault for a system that is not on the server. Its caller may have the number from the server itself. */
function notThere(id: number, { node, directory }: At): Fault {
  const { code, text } = faults.noSuchSystem(id);
  const own = directory.clusterIdOf(node, id);
  if (own !== undefined)
    return { code, text: `${text}: that is a number of ${node} itself, whose system has the number ${own} in the cluster` };
  const home = directory.homeOf(id)?.node;
  return { code, text: home === undefined ? text : `${text}: it is on ${home}, and not on ${node}` };
}

const formFor = (name: string, params: readonly Typed[]): Signature | undefined =>
  formOf(
    (methods.get(name) ?? []).filter(({ auth }) => auth !== 'clientcert'),
    params,
  );

/** Methods with numbers of systems that their documentation does not call so: of actions that recur, and of paths. */
const hidden = /^recurring\.|^ansible\.\w*Paths?(ById)?$/;

function refusalOf({ name, params }: NamedCall, form: Signature | undefined, node: string, seat: SeatFound): string | undefined {
  if (!form) {
    const route = routeOfUnknown(name, hasNumbers(params));
    return route.to === 'refused' ? route.why : undefined;
  }
  if (hidden.test(name)) return 'it may have the number of a system in a place where that is not known to be one';
  if (judge(name) !== 'common' || ('node' in seat && node === seat.node)) return undefined;
  return 'why' in seat ? seat.why : editedElsewhere(seat.node);
}
