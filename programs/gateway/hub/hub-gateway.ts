import { few } from '../../../lib/core/few.ts';
import { readsByName } from '../../../lib/uyuni/api/common-writes.ts';
import { methods } from '../../../lib/uyuni/api/methods.ts';
import type { GatewayCall } from '../../../lib/uyuni/gateway/call.ts';
import { faults } from '../../../lib/uyuni/gateway/faults.ts';
import type { HubCall } from '../../../lib/uyuni/gateway/hub/call.ts';
import { badArguments, HubRefused } from '../../../lib/uyuni/gateway/hub/refusal.ts';
import { type Typed, textOf } from '../../../lib/uyuni/gateway/typed.ts';
import type { Fault } from '../../../lib/uyuni/xml-rpc/value.ts';
import type { Handled, Manner, Parts } from '../gateway.ts';
import { faulty, type GatewayAnswer, whole } from '../merging.ts';
import { xmlRpcReplies } from '../replies.ts';
import { isSessionKey } from '../sessions.ts';
import { answerOf, signOut } from '../signing-in.ts';
import { attachToServers, signInAtHub } from './attaching.ts';
import type { Caller } from './caller.ts';
import { callOne, callSeveral } from './named-servers.ts';
import { serversById } from './server-ids.ts';

/** Answers a call by the names of the hub. Each error is a fault, with the code that a server gave for it. */
export async function handledHub(parts: Parts, call: GatewayCall, hubCall: HubCall, manner: Manner): Promise<Handled> {
  const known = { method: call.name, writes: mayWrite(hubCall) };
  const failed = (fault: Fault): Handled => ({ ...known, answer: faulty(xmlRpcReplies, fault) });
  if (hubCall.to === 'unknown') return failed(faults.noSuchMethod(call.name, call.params));
  const directory = parts.directory();
  if (directory.nodes().length === 0 && call.name !== 'hub.logout') return failed(faults.nobody('the cluster has none'));
  if (hubCall.to === 'hub' && hubCall.method.startsWith('hub.login')) {
    const login = textOf(hubCall.params[0]);
    const answer = await orFault(() => signInAtHub(parts, directory.nodes(), hubCall.method, hubCall.params, manner));
    return { ...known, ...(login !== undefined && { login }), answer };
  }
  const [given, ...params] = hubCall.params;
  const key = textOf(given)?.trim();
  if (key === undefined) return failed(badArguments(call.name, 'the first one is the key of a session').fault);
  if (call.name === 'hub.logout') return { ...known, answer: await signedOut(parts, key) };
  const session = isSessionKey(key) ? await parts.sessions.find(key) : undefined;
  if (!session) return failed(faults.noSuchSession(key));
  const caller: Caller = { key, session, actsAs: new Set(), signedOut: [] };
  const answer = await orFault(() => answered(parts, caller, hubCall, params, manner));
  return { ...known, login: [session.login, ...asWhom(caller)].join(' '), answer, signedOut: caller.signedOut };
}

/** For the log: sign-ins, and what may change something. */
function mayWrite(call: HubCall): boolean {
  if (call.to === 'unknown') return false;
  if (call.to === 'hub') return !call.method.startsWith('hub.list');
  return !(methods.get(call.name)?.every(({ reads }) => reads) ?? readsByName(call.name));
}

/** At most so many logins are named in a line of the log. */
const namedMax = 5;

/** As whom somebody else acts, in the words of the log. */
function asWhom({ session, actsAs }: Caller): string[] {
  const others = [...actsAs].filter((login) => login !== session.login);
  return others.length === 0 ? [] : ['as', few(others, namedMax)];
}

async function orFault(answer: () => Promise<GatewayAnswer>): Promise<GatewayAnswer> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof HubRefused)) throw error;
    return faulty(xmlRpcReplies, error.fault);
  }
}

/** The session ends as by `auth.logout`; the hub answers an empty text. */
async function signedOut(parts: Parts, key: string): Promise<GatewayAnswer> {
  const outcome = await signOut(parts, parts.directory().nodes(), key);
  return answerOf('fault' in outcome ? outcome : { ...outcome, value: '' });
}

async function answered(
  parts: Parts,
  caller: Caller,
  call: Exclude<HubCall, { to: 'unknown' }>,
  params: readonly Typed[],
  manner: Manner,
): Promise<GatewayAnswer> {
  const directory = parts.directory();
  if (call.to !== 'hub') {
    const named = { parts, directory, caller, call: { ...call, params }, manner };
    return call.to === 'one' ? callOne(named) : callSeveral(named);
  }
  const servers = serversById(directory.nodes());
  if (call.method === 'hub.attachToServers') return attachToServers(parts, servers, caller, params, manner);
  if (params.length > 0) throw badArguments(call.method, 'it takes the key of a session alone');
  const listed = call.method === 'hub.listServers' ? [...servers].map(([id, { name }]) => ({ id, name })) : [...servers.keys()];
  return whole(xmlRpcReplies, xmlRpcReplies.responseText(listed));
}
