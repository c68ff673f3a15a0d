import type { GatewayNode } from '../../../lib/uyuni/gateway/directory.ts';
import { attachingIn, type Credentials, credentialsIn } from '../../../lib/uyuni/gateway/hub/arguments.ts';
import { noSuchServer } from '../../../lib/uyuni/gateway/hub/refusal.ts';
import { type AtServer, resultsOf } from '../../../lib/uyuni/gateway/hub/results.ts';
import type { Typed } from '../../../lib/uyuni/gateway/typed.ts';
import { collectAnswers } from '../../../lib/uyuni/merge/collect.ts';
import { faultWithout, type GatewayEnd, Round } from '../asking.ts';
import type { Manner, Parts } from '../gateway.ts';
import { type GatewayAnswer, whole } from '../merging.ts';
import { xmlRpcOutgoing } from '../node-calls.ts';
import { xmlRpcReplies } from '../replies.ts';
import type { AtNode } from '../sessions.ts';
import { answerOf, inBy, outBy, signedOut, signIn } from '../signing-in.ts';
import { inTheirOrder } from '../their-order.ts';
import type { Caller } from './caller.ts';
import { serversById } from './server-ids.ts';

/**
 * `hub.login` and its like: all sign in at all servers, as `auth.login` does, since no password is stored for later.
 * That of the mode with connections says at which servers the person is signed in.
 */
export async function signInAtHub(
  parts: Parts,
  nodes: readonly GatewayNode[],
  method: string,
  params: readonly Typed[],
  manner: Manner,
): Promise<GatewayAnswer> {
  const { login } = credentialsIn(method, params);
  const servers = method === 'hub.loginWithAutoconnectMode' ? serversById(nodes) : undefined;
  const outcome = await signIn(parts, inTheirOrder(nodes, parts.circuits, login), params, manner);
  if ('fault' in outcome || !servers) return answerOf(outcome);
  const key = String(outcome.value);
  const has = (await parts.sessions.find(key))?.nodes;
  const all = [...servers].map(([id, { name }]) => resultAt(id, name, has?.get(name), key));
  return answerOf({ ...outcome, value: { SessionKey: key, ...resultsOf(all) } });
}

/** At a server where somebody is signed in, the response is the gateway's own key, which is all that callers need. */
const resultAt = (id: number, node: string, at: AtNode | undefined, key: string): AtServer =>
  at?.is === 'in' ? { id, value: key } : { id, fault: faultWithout(node, at) };

/**
 * `hub.attachToServers`: calls that name these servers go on as others, who sign in there; or as the caller again. Who
 * was attached before is signed out.
 */
export async function attachToServers(
  parts: Parts,
  servers: ReadonlyMap<number, GatewayNode>,
  caller: Caller,
  params: readonly Typed[],
  manner: Manner,
): Promise<GatewayAnswer> {
  const { ids, as } = attachingIn('hub.attachToServers', params);
  const named = ids.flatMap((id, n) => {
    const node = servers.get(id);
    return node ? [{ node, credentials: as?.[n] }] : [];
  });
  const wanted = named.flatMap(({ node, credentials }) => (credentials ? [{ node, credentials }] : []));
  const { has, ends } = await signedInAt(parts, wanted, manner);
  const replaced = new Map<string, AtNode>();
  for (const { node, credentials } of named) {
    if (credentials) caller.actsAs.add(credentials.login);
    const at = has.get(node.name);
    const before = await parts.sessions.attach(caller.session.id, node.name, credentials && at && { login: credentials.login, at });
    if (before) replaced.set(node.name, before.at);
  }
  caller.signedOut.push(...(await signedOut(parts, [...servers.values()], { ...caller.session, nodes: replaced })));
  const results = ids.map((id): AtServer => {
    const node = servers.get(id);
    if (!node) return { id, fault: noSuchServer(id) };
    return resultAt(id, node.name, (as ? has : caller.session.nodes).get(node.name), caller.key);
  });
  return whole(xmlRpcReplies, xmlRpcReplies.responseText(resultsOf(results)), ends);
}

type Wanted = { readonly node: GatewayNode; readonly credentials: Credentials };

/** What each has at the server where they sign in. */
async function signedInAt(
  parts: Parts,
  wanted: readonly Wanted[],
  { deadlineMs, signal }: Manner,
): Promise<{ readonly has: ReadonlyMap<string, AtNode>; readonly ends: readonly GatewayEnd[] }> {
  const round = new Round(parts, { outgoing: xmlRpcOutgoing('auth.login', false), session: undefined, deadlineMs, signal });
  const text = (value: string): Typed => ({ type: 'string', text: value });
  const { answers, ends } = await collectAnswers(
    wanted.map(({ node, credentials }) => round.from(node, [text(credentials.login), text(credentials.password)], undefined, true)),
  );
  const has = new Map(answers.map(({ node, value }) => [node, inBy(value)]));
  for (const end of ends) if (!end.ok) has.set(end.node, outBy(end));
  return { has, ends: await round.learn(ends) };
}
