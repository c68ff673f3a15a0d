import { readsByName } from '../../lib/uyuni/api/common-writes.ts';
import { methods, type Signature } from '../../lib/uyuni/api/methods.ts';
import { type GatewayCall, readGatewayCall } from '../../lib/uyuni/gateway/call.ts';
import type { Directory } from '../../lib/uyuni/gateway/directory.ts';
import { faults } from '../../lib/uyuni/gateway/faults.ts';
import { formOf } from '../../lib/uyuni/gateway/forms.ts';
import { hubCallOf } from '../../lib/uyuni/gateway/hub/call.ts';
import type { JsonRequest } from '../../lib/uyuni/gateway/json-call.ts';
import { routeOf, routeOfUnknown } from '../../lib/uyuni/gateway/route.ts';
import { hasNumbers, type Typed, textOf } from '../../lib/uyuni/gateway/typed.ts';
import { NotXmlRpc } from '../../lib/uyuni/xml-rpc/value.ts';
import type { ActionNumbers } from './action-numbers.ts';
import type { Asking, GatewayEnd } from './asking.ts';
import { type Asked, asTheOnlyOne, carriedOut } from './carrying-out.ts';
import { handledHub } from './hub/hub-gateway.ts';
import { handledJson } from './json-gateway.ts';
import { faulty, type GatewayAnswer } from './merging.ts';
import { xmlRpcOutgoing } from './node-calls.ts';
import { plannedOf } from './planning.ts';
import { xmlRpcReplies } from './replies.ts';
import type { Seats } from './seats.ts';
import { type GatewaySession, isSessionKey } from './sessions.ts';
import { answerOf, signIn, signOut } from './signing-in.ts';
import { inTheirOrder } from './their-order.ts';

/** What a caller asks for beside the call: how long each node is waited for, and whether a part will do. */
export type Manner = { readonly deadlineMs: number; readonly strict: boolean; readonly signal: AbortSignal };

/**
 * What became of a call, for the log: `method` is undefined for one that could not be read. `writes`: it may change
 * something. `signedOut`: how servers ended sessions there that it has replaced.
 */
export type Handled = {
  readonly method?: string;
  readonly login?: string;
  readonly writes: boolean;
  readonly answer: GatewayAnswer;
  readonly signedOut?: readonly GatewayEnd[];
};

/**
 * Answers calls of the cluster: documents of XML-RPC, also where the names of the hub are, and requests of the JSON
 * interface with the key of a session.
 */
export type Gateway = {
  answer(bytes: Uint8Array, manner: Manner): Promise<Handled>;
  answerAtHub(bytes: Uint8Array, manner: Manner): Promise<Handled>;
  answerJson(request: JsonRequest, key: string | undefined, manner: Manner): Promise<Handled>;
};

/**
 * What the gateway stands on. `seats`: on which node common content is edited; `directory` gives the one of the
 * moment, and `actions` numbers of actions.
 */
export type GatewayParts = Asking & {
  readonly directory: () => Directory;
  readonly seats: Seats;
  readonly actions: ActionNumbers;
};

/** The parts, and whether there has only ever been one server, so that its answers go on as they are. */
export type Parts = GatewayParts & { readonly isAlone: boolean };

/** A gateway of these parts. */
export function gatewayOf(given: GatewayParts): Gateway {
  let isAlone = true;
  // Callers hold numbers of the cluster once there were several: to the last server they may be other systems.
  const parts = (): Parts => {
    isAlone &&= given.directory().nodes().length <= 1;
    return { ...given, isAlone };
  };
  const answered = async (bytes: Uint8Array, answer: (call: GatewayCall) => Promise<Handled>): Promise<Handled> => {
    let call: GatewayCall;
    try {
      call = readGatewayCall(bytes);
    } catch (error) {
      if (!(error instanceof NotXmlRpc)) throw error;
      return { writes: false, answer: faulty(xmlRpcReplies, faults.unreadable(error.message)) };
    }
    return answer(call);
  };
  return {
    answer: (bytes, manner) => answered(bytes, (call) => handled(parts(), call, manner)),
    answerAtHub: (bytes, manner) =>
      answered(bytes, (call) => {
        const hubCall = hubCallOf(call);
        return hubCall ? handledHub(parts(), call, hubCall, manner) : handled(parts(), call, manner);
      }),
    answerJson: (request, key, manner) => handledJson(parts(), request, key, manner),
  };
}

async function handled(parts: Parts, call: GatewayCall, manner: Manner): Promise<Handled> {
  const directory = parts.directory();
  const nodes = directory.nodes();
  const method = call.name;
  const writes = method.startsWith('auth.') || !(methods.get(method)?.every(({ reads }) => reads) ?? readsByName(method));
  if (nodes.length === 0 && method !== 'auth.logout')
    return { method, writes, answer: faulty(xmlRpcReplies, faults.nobody('the cluster has none')) };
  if (method === 'auth.login') {
    const login = textOf(call.params[0]);
    const order = inTheirOrder(nodes, parts.circuits, login ?? '');
    const outcome = await signIn(parts, order, call.params, manner);
    return { method, writes, ...(login !== undefined && { login }), answer: answerOf(outcome) };
  }
  const key = textOf(call.params[0])?.trim() ?? '';
  if (!isSessionKey(key))
    return { method, writes, answer: await routed(parts, directory, { call, session: undefined, params: call.params }, manner) };
  if (method === 'auth.logout') return { method, writes, answer: answerOf(await signOut(parts, nodes, key)) };
  const session = await parts.sessions.find(key);
  if (!session) return { method, writes, answer: faulty(xmlRpcReplies, faults.noSuchSession(key)) };
  const answer = await routed(parts, directory, { call, session, params: call.params.slice(1) }, manner);
  return { method, writes, login: session.login, answer };
}

/** A call whose session is known; `params` come without its key. */
type Known = { readonly call: GatewayCall; readonly session: GatewaySession | undefined; readonly params: readonly Typed[] };

async function routed(parts: Parts, directory: Directory, known: Known, manner: Manner): Promise<GatewayAnswer> {
  const { call, session, params } = known;
  const nodes = directory.nodes();
  const only = parts.isAlone ? nodes[0] : undefined;
  const form = formFor(known);
  const noSuchMethod = () => faulty(xmlRpcReplies, faults.noSuchMethod(call.name, call.params));
  const asked = (reads: boolean, by: GatewaySession | undefined): Asked => ({
    name: call.name,
    reads,
    login: session?.login ?? '',
    replies: xmlRpcReplies,
    question: { outgoing: xmlRpcOutgoing(call.sent, reads), session: by, deadlineMs: manner.deadlineMs, signal: manner.signal },
  });
  if (call.name.startsWith('auth.') && (session === undefined || !only)) return noSuchMethod();
  if (only) return asTheOnlyOne(parts, only, params, asked(form?.reads ?? readsByName(call.name), session));
  if (methods.has(call.name) ? !form : !session) return noSuchMethod();
  const route = form ? routeOf(call.name, form) : routeOfUnknown(call.name, hasNumbers(params));
  if (route.to === 'gateway') return noSuchMethod();
  const plan = await plannedOf(
    parts,
    route,
    { name: call.name, form, params },
    { directory, login: session?.login ?? '', signal: manner.signal },
  );
  const by = form?.auth === 'none' ? undefined : session;
  return carriedOut(parts, directory, { plan, asked: asked(form?.reads ?? true, by) }, manner);
}

/** The form that a call means; undefined where the table has none. Methods that need no session take one as well. */
function formFor({ call, session, params }: Known): Signature | undefined {
  const forms = methods.get(call.name) ?? [];
  return formOf(session ? forms.filter(({ auth }) => auth !== 'clientcert') : forms.filter(({ auth }) => auth !== 'session'), params);
}
