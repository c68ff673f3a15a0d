import { secondMs } from '../../lib/core/time.ts';
import type { GatewayNode } from '../../lib/uyuni/gateway/directory.ts';
import { faults } from '../../lib/uyuni/gateway/faults.ts';
import { type Typed, textOf, wholeOf } from '../../lib/uyuni/gateway/typed.ts';
import { collectAnswers } from '../../lib/uyuni/merge/collect.ts';
import type { NodeEnd } from '../../lib/uyuni/merge/node-answer.ts';
import type { Fault, Value } from '../../lib/uyuni/xml-rpc/value.ts';
import { type Asking, type GatewayEnd, type Question, Round } from './asking.ts';
import { faulty, type GatewayAnswer, whole } from './merging.ts';
import { xmlRpcOutgoing } from './node-calls.ts';
import { xmlRpcReplies } from './replies.ts';
import type { Seats } from './seats.ts';
import { type AtNode, type GatewaySession, isSessionKey, lifetimeMs, lifetimes } from './sessions.ts';

/** A value, or why there is none; and how the nodes ended that were asked. */
export type Outcome = ({ readonly value: Value } | { readonly fault: Fault }) & { readonly ends: readonly GatewayEnd[] };

/** An outcome as it is answered by XML-RPC. */
export const answerOf = (outcome: Outcome): GatewayAnswer =>
  'fault' in outcome
    ? faulty(xmlRpcReplies, outcome.fault, outcome.ends)
    : whole(xmlRpcReplies, xmlRpcReplies.responseText(outcome.value), outcome.ends);

/** For how long nodes are waited for, and what aborts when the caller has gone. */
export type Waiting = Pick<Question, 'deadlineMs' | 'signal'>;

/** How long the nodes have for ending a session: it ends at the gateway whatever they do. */
const logoutMs = 3 * secondMs;

/**
 * `auth.login`. One node checks the password, so that a wrong one costs one call; then the person signs in at all
 * others with it, and it is forgotten. What the person has at each node is what that node gave for this password.
 */
export async function signIn(
  asking: Asking,
  nodes: readonly GatewayNode[],
  params: readonly Typed[],
  { deadlineMs, signal }: Waiting,
): Promise<Outcome> {
  const login = textOf(params[0]);
  const life = params[2] === undefined ? lifetimeMs : (wholeOf(params[2]) ?? 0) * secondMs;
  if (login === undefined || textOf(params[1]) === undefined || params.length > 3)
    return { fault: faults.noSuchMethod('auth.login', params), ends: [] };
  if (life < lifetimes.minMs || life > lifetimes.maxMs) return { fault: faults.invalid('a session lives from 1 s to 24 h'), ends: [] };
  const question = { outgoing: xmlRpcOutgoing('auth.login', false), session: undefined, deadlineMs, signal };
  const first = new Round(asking, question);
  const { answers, ends } = await collectAnswers([first.fromFirst(nodes, params, () => (_kind, id) => id)]);
  const firstEnds = await first.learn(ends);
  const [checked] = answers;
  if (!checked) return { fault: first.faultOf(ends), ends: firstEnds };
  if (inBy(checked.value).is !== 'in') return { fault: faults.noAnswer(checked.node, 'it gave no session key'), ends: firstEnds };
  const others = new Round(asking, question);
  const more = await collectAnswers(
    nodes.filter(({ name }) => name !== checked.node).map((node) => others.from(node, params, undefined, true)),
  );
  const moreEnds = await others.learn(more.ends);
  const has = new Map([checked, ...more.answers].map(({ node, value }) => [node, inBy(value)]));
  for (const end of more.ends) if (!end.ok) has.set(end.node, outBy(end));
  const key = await asking.sessions.begin(login, has, life);
  if (key === undefined) return { fault: faults.nobody('too many people are signed in'), ends: firstEnds };
  return { value: key, ends: [...firstEnds, ...moreEnds] };
}

/** What a person has at a node by what it gave at sign-in. */
export const inBy = (value: Value): AtNode =>
  typeof value === 'string' && isSessionKey(value) ? { is: 'in', key: value } : { is: 'out', why: 'it gave no session key' };

/** What a person has at a node that did not sign them in. */
export const outBy = (end: NodeEnd & { readonly ok: false }): AtNode =>
  end.fault ? { is: 'refused', fault: end.fault } : { is: 'out', why: `it did not answer when this session began (${end.text})` };

/** `auth.logout`: the session ends here, and at the nodes as far as they answer. */
export async function signOut(
  { seats, ...asking }: Asking & { readonly seats: Seats },
  nodes: readonly GatewayNode[],
  key: string,
): Promise<Outcome> {
  const session = await asking.sessions.end(key);
  if (!session) return { fault: faults.noSuchSession(key), ends: [] };
  seats.finished(session.login);
  const attached = new Map([...session.attached].map(([node, { at }]) => [node, at]));
  const [own, others] = await Promise.all([signedOut(asking, nodes, session), signedOut(asking, nodes, { ...session, nodes: attached })]);
  const failed = new Set(own.flatMap(({ node, ok }) => (ok ? [] : [node])));
  return { value: 1, ends: [...own, ...others.filter(({ node }) => !failed.has(node))] };
}

/** Ends what the person of a session has at nodes, as far as these answer within some seconds. */
export async function signedOut(asking: Asking, nodes: readonly GatewayNode[], session: GatewaySession): Promise<readonly GatewayEnd[]> {
  const signal = new AbortController().signal;
  const round = new Round(asking, { outgoing: xmlRpcOutgoing('auth.logout', false), session, deadlineMs: logoutMs, signal });
  const there = nodes.filter(({ name }) => session.nodes.get(name)?.is === 'in');
  const { ends } = await collectAnswers(there.map((node) => round.from(node, [], undefined, true)));
  return round.learn(ends);
}
