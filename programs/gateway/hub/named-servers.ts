import { judge, readsByName } from '../../../lib/uyuni/api/common-writes.ts';
import type { Signature } from '../../../lib/uyuni/api/methods.ts';
import type { Directory, GatewayNode } from '../../../lib/uyuni/gateway/directory.ts';
import { faults } from '../../../lib/uyuni/gateway/faults.ts';
import { oneIn, severalIn } from '../../../lib/uyuni/gateway/hub/arguments.ts';
import type { ServersCall } from '../../../lib/uyuni/gateway/hub/call.ts';
import { type NamedPlan, namedPlan, passedOn } from '../../../lib/uyuni/gateway/hub/plan.ts';
import { HubRefused, noSuchServer } from '../../../lib/uyuni/gateway/hub/refusal.ts';
import type { SeatFound } from '../../../lib/uyuni/gateway/plan.ts';
import { refusals } from '../../../lib/uyuni/gateway/route.ts';
import type { Typed } from '../../../lib/uyuni/gateway/typed.ts';
import type { ClusterIdOf } from '../../../lib/uyuni/merge/ids.ts';
import { Round } from '../asking.ts';
import { type Asked, asTheOnlyOne, lockedAlone, mergingFor, passed } from '../carrying-out.ts';
import type { Manner, Parts } from '../gateway.ts';
import type { GatewayAnswer } from '../merging.ts';
import { xmlRpcOutgoing } from '../node-calls.ts';
import { xmlRpcReplies } from '../replies.ts';
import { atNamed, type Caller } from './caller.ts';
import { type Named, namedAnswer } from './named-answer.ts';
import { serversById } from './server-ids.ts';

/** A call that names its servers: of whom, in what manner, and by what it is carried out. */
export type NamingCall = {
  readonly parts: Parts;
  readonly directory: Directory;
  readonly caller: Caller;
  readonly call: ServersCall;
  readonly manner: Manner;
};

/** `unicast`: the answer of the server that is named, whatever it is. */
export async function callOne({ parts, directory, caller, call, manner }: NamingCall): Promise<GatewayAnswer> {
  const { id, params } = oneIn(`unicast.${call.name}`, call.params);
  const node = serversById(directory.nodes()).get(id);
  if (!node) throw new HubRefused(noSuchServer(id));
  const seat = await seatFor({ parts, directory, caller, call, manner }, node.name);
  const plan = planFor({ parts, directory, seat }, { name: call.name, params }, node);
  if ('fault' in plan) throw new HubRefused(plan.fault);
  noteActing(caller, node);
  const asked = askedOf(caller, call, [plan.form], manner);
  if (parts.isAlone) return asTheOnlyOne(parts, node, plan.params, asked);
  const round = new Round(parts, asked.question);
  return passed(round, round.from(node, plan.params, clusterIdsAt(directory, node)), mergingFor(asked, round, manner));
}

/** `multicast`: what each server that is named has answered, or why it has not. */
export async function callSeveral({ parts, directory, caller, call, manner }: NamingCall): Promise<GatewayAnswer> {
  const servers = serversById(directory.nodes());
  const seat = await seatFor({ parts, directory, caller, call, manner }, undefined);
  const [only] = directory.nodes();
  const why = parts.isAlone && only ? await lockedAlone(parts, only, { name: call.name, login: caller.session.login }) : undefined;
  const planned = severalIn(`multicast.${call.name}`, call.params).map(({ id, params }) => {
    const node = servers.get(id);
    if (why !== undefined) return { id, node, plan: { fault: faults.unsupported(call.name, why) } };
    return { id, node, plan: node ? planFor({ parts, directory, seat }, { name: call.name, params }, node) : { fault: noSuchServer(id) } };
  });
  const forms = planned.flatMap(({ plan }) => ('fault' in plan ? [] : [plan.form]));
  const asked = askedOf(caller, call, forms, manner);
  const round = new Round(parts, asked.question);
  const named = planned.map(({ id, node, plan }): Named => {
    if (!node || 'fault' in plan) return { id, fault: 'fault' in plan ? plan.fault : noSuchServer(id) };
    noteActing(caller, node);
    return { id, answer: round.from(node, plan.params, parts.isAlone ? undefined : clusterIdsAt(directory, node), true) };
  });
  return namedAnswer(named, { round, reads: asked.reads, options: mergingFor(asked, round, manner) });
}

type Planning = { readonly parts: Parts; readonly directory: Directory; readonly seat: SeatFound };

const planFor = (
  { parts, directory, seat }: Planning,
  call: { readonly name: string; readonly params: readonly Typed[] },
  node: GatewayNode,
): NamedPlan => (parts.isAlone ? passedOn(call) : namedPlan(call, node.name, directory, seat));

/** Where common content is edited, if the call changes any. The server that it names becomes the seat if none is. */
async function seatFor({ parts, caller, call }: NamingCall, named: string | undefined): Promise<SeatFound> {
  if (parts.isAlone || judge(call.name) !== 'common') return { why: refusals.noSeat };
  const { login } = caller.session;
  return parts.seats.seatFor({ login, ...(named !== undefined && { named }) });
}

const clusterIdsAt =
  (directory: Directory, { name }: GatewayNode): ClusterIdOf =>
  (_kind, id) =>
    directory.clusterIdOf(name, id);

function noteActing({ session, actsAs }: Caller, node: GatewayNode): void {
  const attached = session.attached.get(node.name);
  if (attached) actsAs.add(attached.login);
}

function askedOf(
  caller: Caller,
  { name, sent }: ServersCall,
  forms: readonly (Signature | undefined)[],
  { deadlineMs, signal }: Manner,
): Asked {
  const reads = forms.every((form) => form?.reads ?? readsByName(name));
  const isOpen = forms.length > 0 && forms.every((form) => form?.auth === 'none');
  const session = isOpen ? undefined : atNamed(caller);
  const question = { outgoing: xmlRpcOutgoing(sent, reads), session, deadlineMs, signal };
  return { name, reads, question, login: caller.session.login, replies: xmlRpcReplies };
}
