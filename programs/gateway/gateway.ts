import { readsByName } from '../../lib/uyuni/api/common-writes.ts';
import { methods, type Signature } from '../../lib/uyuni/api/methods.ts';
import { returns } from '../../lib/uyuni/api/returns.ts';
import { type GatewayCall, readGatewayCall } from '../../lib/uyuni/gateway/call.ts';
import type { Directory, GatewayNode } from '../../lib/uyuni/gateway/directory.ts';
import { faults } from '../../lib/uyuni/gateway/faults.ts';
import { formOf } from '../../lib/uyuni/gateway/forms.ts';
import { type NodeCall, type Plan, planOf } from '../../lib/uyuni/gateway/plan.ts';
import { routeOf, routeOfUnknown } from '../../lib/uyuni/gateway/route.ts';
import { kindOf, type Typed, textOf } from '../../lib/uyuni/gateway/typed.ts';
import type { ClusterIdOf } from '../../lib/uyuni/merge/ids.ts';
import { MergeFailed, passAnswer } from '../../lib/uyuni/merge/merge.ts';
import type { NodeAnswer } from '../../lib/uyuni/merge/node-answer.ts';
import { NotXmlRpc } from '../../lib/uyuni/xml-rpc/value.ts';
import { faultText, responseText } from '../../lib/uyuni/xml-rpc/write.ts';
import { type Asking, type Question, Round } from './asking.ts';
import { faulty, type GatewayAnswer, type Merging, mergeAll, mergeDone, whole } from './merging.ts';
import { type GatewaySession, isSessionKey } from './sessions.ts';
import { type Outcome, signIn, signOut, type Waiting } from './signing-in.ts';
import { inTheirOrder } from './their-order.ts';
import { untouched } from './untouched.ts';

/** What a caller asks for beside the call: how long each node is waited for, and whether a part will do. */
export type Manner = { readonly deadlineMs: number; readonly strict: boolean; readonly signal: AbortSignal };

/**
 * What became of a call, for the log: `method` is undefined for one that could not be read. `writes`: it may change
 * something.
 */
export type Handled = { readonly method?: string; readonly login?: string; readonly writes: boolean; readonly answer: GatewayAnswer };

/** Answers calls of the cluster. */
export type Gateway = { answer(bytes: Uint8Array, manner: Manner): Promise<Handled> };

/**
 * What the gateway stands on. `seat`: the node on which common content is edited; `directory` gives the one of the
 * moment.
 */
export type GatewayParts = Asking & { readonly directory: () => Directory; readonly seat: string | undefined };

/** The parts, and whether there has only ever been one server, so that its answers go on as they are. */
type Parts = GatewayParts & { readonly isAlone: boolean };

/** A gateway of these parts. */
export function gatewayOf(given: GatewayParts): Gateway {
  let isAlone = true;
  return {
    answer: async (bytes, manner) => {
      // Callers hold numbers of the cluster once there were several: to the last server they may be other systems.
      isAlone &&= given.directory().nodes().length <= 1;
      let call: GatewayCall;
      try {
        call = readGatewayCall(bytes);
      } catch (error) {
        if (!(error instanceof NotXmlRpc)) throw error;
        return { writes: false, answer: faulty(faults.unreadable(error.message)) };
      }
      return handled({ ...given, isAlone }, call, manner);
    },
  };
}

async function handled(parts: Parts, call: GatewayCall, manner: Manner): Promise<Handled> {
  const directory = parts.directory();
  const nodes = directory.nodes();
  const method = call.name;
  const writes = method.startsWith('auth.') || !(methods.get(method)?.every(({ reads }) => reads) ?? readsByName(method));
  if (nodes.length === 0 && method !== 'auth.logout') return { method, writes, answer: faulty(faults.nobody('the cluster has none')) };
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
  if (!session) return { method, writes, answer: faulty(faults.noSuchSession(key)) };
  const answer = await routed(parts, directory, { call, session, params: call.params.slice(1) }, manner);
  return { method, writes, login: session.login, answer };
}

const answerOf = (outcome: Outcome): GatewayAnswer =>
  'fault' in outcome ? faulty(outcome.fault, outcome.ends) : whole(responseText(outcome.value), outcome.ends);

/** A call whose session is known; `params` come without its key. */
type Known = { readonly call: GatewayCall; readonly session: GatewaySession | undefined; readonly params: readonly Typed[] };

async function routed(parts: Parts, directory: Directory, known: Known, manner: Manner): Promise<GatewayAnswer> {
  const { call, session, params } = known;
  const waiting: Waiting = { deadlineMs: manner.deadlineMs, signal: manner.signal };
  const nodes = directory.nodes();
  const only = parts.isAlone ? nodes[0] : undefined;
  if (call.name.startsWith('auth.') && (session === undefined || !only)) return faulty(faults.noSuchMethod(call.name, call.params));
  if (only) {
    const form = formFor(known);
    const round = new Round(parts, {
      sent: call.sent,
      reads: form?.reads ?? readsByName(call.name),
      session,
      ...waiting,
    });
    return learning(
      round,
      untouched(round.from(only, params, undefined), manner.signal, (ends) => round.faultOf(ends)),
    );
  }
  const form = formFor(known);
  if (methods.has(call.name) ? !form : !session) return faulty(faults.noSuchMethod(call.name, call.params));
  const route = form
    ? routeOf(call.name, form)
    : routeOfUnknown(
        call.name,
        params.some((param) => kindOf(param) !== 'string'),
      );
  if (route.to === 'gateway') return faulty(faults.noSuchMethod(call.name, call.params));
  const plan = planOf(route, { name: call.name, form, params }, directory, parts.seat);
  const question = {
    sent: call.sent,
    reads: form?.reads ?? true,
    session: form?.auth === 'none' ? undefined : session,
    ...waiting,
  };
  return carriedOut(parts, directory, { plan, name: call.name, question, login: session?.login ?? '' }, manner);
}

/** The form that a call means; undefined where the table has none. Methods that need no session take one as well. */
function formFor({ call, session, params }: Known): Signature | undefined {
  const forms = methods.get(call.name) ?? [];
  return formOf(session ? forms.filter(({ auth }) => auth !== 'clientcert') : forms.filter(({ auth }) => auth !== 'session'), params);
}

type Carried = { readonly plan: Plan; readonly name: string; readonly question: Question; readonly login: string };

async function carriedOut(
  parts: GatewayParts,
  directory: Directory,
  { plan, name, question, login }: Carried,
  manner: Manner,
): Promise<GatewayAnswer> {
  if (plan.to === 'nobody') return faulty(plan.fault);
  const round = new Round(parts, question);
  const nodes = directory.nodes();
  const idsAt =
    (node: string): ClusterIdOf =>
    (_kind, id) =>
      directory.clusterIdOf(node, id);
  const options = mergingFor(name, round, manner);
  const at = (node: string): GatewayNode => nodes.find((one) => one.name === node) ?? { name: node, url: '', isUp: false, isInSync: false };
  const askedAll = (isAll: boolean, calls: readonly NodeCall[]): NodeAnswer[] =>
    calls.map(({ node, params }) => round.from(at(node), params, idsAt(node), isAll));
  switch (plan.to) {
    case 'any':
      return passed(round, round.fromFirst(inTheirOrder(nodes, parts.circuits, login), plan.params, idsAt), options);
    case 'one':
      return passed(round, round.from(at(plan.call.node), plan.call.params, idsAt(plan.call.node)), options);
    case 'all': {
      const asked = askedAll(
        true,
        nodes.map((node) => ({ node: node.name, params: plan.params })),
      );
      return learning(round, await mergeAll(name, asked, options));
    }
    case 'several': {
      const asked = askedAll(question.reads, plan.calls);
      return learning(round, question.reads ? await mergeAll(name, asked, options) : await mergeDone(plan.gives, asked, options));
    }
  }
}

const mergingFor = (name: string, round: Round, { strict, signal }: Manner): Merging => ({
  ids: (returns.get(name)?.ids ?? []).filter(({ kind }) => kind === 'system'),
  strict,
  signal,
  faultOf: (ends) => round.faultOf(ends),
  strictFault: (end) => round.strictFault(end),
  mayHaveDone: (end) => round.mayHaveDone(end),
});

/**
 * The answer of one node, whose fault is an answer as well. A part of it would be taken for all: if it breaks off, it
 * is none.
 */
function passed(round: Round, answer: NodeAnswer, options: Merging): GatewayAnswer {
  const { body, ends } = learning(round, passAnswer(answer, { ...options, strict: true }));
  return { body, ends: ends.then((all) => all.filter((end) => end.ok || end.code !== 'fault')) };
}

/** The same answer. Once it is read, what its nodes did is noted. Where a part will not do, a failure is a fault. */
function learning(round: Round, answer: GatewayAnswer): GatewayAnswer {
  return { body: namingFailures(round, answer.body), ends: answer.ends.then((all) => round.learn(all)) };
}

async function* namingFailures(round: Round, body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let hasBegun = false;
  try {
    for await (const part of body) {
      hasBegun = true;
      yield part;
    }
  } catch (error) {
    if (hasBegun || !(error instanceof MergeFailed)) throw error;
    yield Buffer.from(faultText(round.strictFault(error.end)));
  }
}
