import { judge } from '../../lib/uyuni/api/common-writes.ts';
import { returns } from '../../lib/uyuni/api/returns.ts';
import { type ActionPart, listsActions, schedulesActions } from '../../lib/uyuni/gateway/actions.ts';
import type { Directory, GatewayNode } from '../../lib/uyuni/gateway/directory.ts';
import { faults } from '../../lib/uyuni/gateway/faults.ts';
import type { NodeCall, Plan } from '../../lib/uyuni/gateway/plan.ts';
import { editedElsewhere } from '../../lib/uyuni/gateway/route.ts';
import type { Typed } from '../../lib/uyuni/gateway/typed.ts';
import type { ClusterIdOf } from '../../lib/uyuni/merge/ids.ts';
import { type Merged, MergeFailed, passAnswer } from '../../lib/uyuni/merge/merge.ts';
import type { NodeAnswer } from '../../lib/uyuni/merge/node-answer.ts';
import { mergeActions } from './action-lists.ts';
import { type Question, Round } from './asking.ts';
import type { GatewayParts, Manner } from './gateway.ts';
import { faulty, type GatewayAnswer, type Merging, mergeAll, mergeDone } from './merging.ts';
import type { Replies } from './replies.ts';
import { scheduled } from './scheduling.ts';
import { inTheirOrder } from './their-order.ts';
import { untouched } from './untouched.ts';

/**
 * A call that was read, whichever interface it came by: its method, whether that only reads, how it goes out, who calls
 * (`login` is empty for nobody), and how its answer is written.
 */
export type Asked = {
  readonly name: string;
  readonly reads: boolean;
  readonly question: Question;
  readonly login: string;
  readonly replies: Replies;
};

/**
 * The answer of the only node of a cluster, as it is; what it refuses is its answer as well. Where Muster elects a
 * seat, common content is not changed there before it is the seat.
 */
export async function asTheOnlyOne(parts: GatewayParts, only: GatewayNode, params: readonly Typed[], asked: Asked): Promise<GatewayAnswer> {
  const { name, login } = asked;
  const why = await lockedAlone(parts, only, { name, login });
  if (why !== undefined) return faulty(asked.replies, faults.unsupported(name, why));
  const round = new Round(parts, asked.question);
  return withoutFaults(
    learning(
      round,
      untouched(round.from(only, params, undefined), asked.question.signal, asked.replies, (ends) => round.faultOf(ends)),
      asked.replies,
    ),
  );
}

/**
 * Why the only node may not change common content now; undefined where it may, or does not. Nobody is asked for people
 * who are not signed in: the node refuses them itself.
 */
export async function lockedAlone(
  { seats }: GatewayParts,
  only: GatewayNode,
  { name, login }: Pick<Asked, 'name' | 'login'>,
): Promise<string | undefined> {
  if (!seats.isElected || login === '' || judge(name) !== 'common') return undefined;
  const seat = await seats.seatFor({ login, named: only.name });
  if ('why' in seat) return seat.why;
  return seat.node === only.name ? undefined : editedElsewhere(seat.node);
}

/** The answer to a call by a plan. */
export async function carriedOut(
  parts: GatewayParts,
  directory: Directory,
  { plan, asked }: { readonly plan: Plan; readonly asked: Asked },
  manner: Manner,
): Promise<GatewayAnswer> {
  if (plan.to === 'nobody') return faulty(asked.replies, plan.fault);
  if (schedulesActions(asked.name) && !asked.reads && plan.to !== 'all') {
    const answer = await scheduledBy(parts, directory, { plan, asked: unending(asked) }, manner);
    if (answer) return answer;
  }
  const { name, question, login, replies, reads } = asked;
  const round = new Round(parts, question);
  const { nodes, idsAt, at } = namesIn(directory, plan);
  const options = mergingFor(asked, round, manner, plan);
  const askedAll = (isAll: boolean, calls: readonly NodeCall[]): NodeAnswer[] =>
    calls.map(({ node, params }) => round.from(at(node), params, idsAt(node), isAll));
  switch (plan.to) {
    case 'any':
      return passed(round, round.fromFirst(inTheirOrder(nodes, parts.circuits, login), plan.params, idsAt), options);
    case 'one':
      return passed(round, round.from(at(plan.call.node), plan.call.params, idsAt(plan.call.node)), options);
    case 'all': {
      const answers = askedAll(
        true,
        nodes.map((node) => ({ node: node.name, params: plan.params })),
      );
      const merged = listsActions(name) ? mergeActions(parts.actions, name, answers, options) : mergeAll(name, answers, options);
      return learning(round, await merged, replies);
    }
    case 'several': {
      const isRead = reads || plan.gives === 'answers';
      const answers = askedAll(isRead, plan.calls);
      const merged = isRead
        ? await mergeAll(name, answers, options)
        : await mergeDone(plan.gives === 'done' ? 'done' : 'lists', answers, options);
      return learning(round, merged, replies);
    }
  }
}

/** The nodes, by their names, and what ids in their answers are in the cluster. */
function namesIn(directory: Directory, plan: Plan) {
  const nodes = directory.nodes();
  const numbers = new Map(
    'known' in plan ? [...(plan.known ?? [])].flatMap(([number, some]) => some.map((part) => [placeOf(part), number])) : [],
  );
  const idsAt =
    (node: string): ClusterIdOf =>
    (kind, id) =>
      kind === 'action' ? numbers.get(placeOf({ node, id })) : directory.clusterIdOf(node, id);
  const at = (node: string): GatewayNode => nodes.find((one) => one.name === node) ?? { name: node, url: '', isUp: false, isInSync: false };
  return { nodes, idsAt, at };
}

const placeOf = ({ node, id }: ActionPart): string => `${node}/${id}`;

/** The same call for callers that may go: what servers have begun to schedule is to be recorded. */
const unending = (asked: Asked): Asked => ({ ...asked, question: { ...asked.question, signal: new AbortController().signal } });

/** The answer to a call that schedules actions; undefined where it goes as any other. */
async function scheduledBy(
  { actions, ...parts }: GatewayParts,
  directory: Directory,
  { plan, asked }: { readonly plan: Exclude<Plan, { to: 'nobody' | 'all' }>; readonly asked: Asked },
  manner: Manner,
): Promise<GatewayAnswer | undefined> {
  const { name, login, replies, question } = asked;
  const round = new Round(parts, question);
  const { nodes, idsAt, at } = namesIn(directory, plan);
  const calls = plan.to === 'one' ? [plan.call] : plan.to === 'several' ? plan.calls : [];
  const isOne = plan.to === 'any' || calls.length === 1;
  const ask = (): readonly NodeAnswer[] =>
    plan.to === 'any'
      ? [round.fromFirst(inTheirOrder(nodes, parts.circuits, login), plan.params, idsAt)]
      : calls.map(({ node, params }) => round.from(at(node), params, idsAt(node)));
  const gives = plan.to === 'several' ? plan.gives : 'lists';
  const options = mergingFor(asked, round, { ...manner, signal: question.signal }, plan);
  const answer = await scheduled(actions, { name, gives, isOne }, ask, options);
  if (!answer) return undefined;
  const learnt = learning(round, answer, replies);
  return isOne ? withoutFaults(learnt) : learnt;
}

/** How answers are merged: ids of systems are rewritten, and those of the actions that a call names. */
export const mergingFor = ({ name, replies }: Asked, round: Round, { strict, signal }: Manner, plan?: Plan): Merging => ({
  form: replies,
  ids: (returns.get(name)?.ids ?? []).filter(
    ({ kind }) => kind === 'system' || (kind === 'action' && plan !== undefined && 'known' in plan),
  ),
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
export function passed(round: Round, answer: NodeAnswer, options: Merging): GatewayAnswer {
  const merged: Merged = passAnswer(answer, { ...options, strict: true });
  return withoutFaults(learning(round, { ...merged, http: options.form.http }, options.form));
}

/** The same answer, in which the fault of a node is no failure: it is what the caller gets. */
const withoutFaults = ({ ends, ...answer }: GatewayAnswer): GatewayAnswer => ({
  ...answer,
  ends: ends.then((all) => all.filter((end) => end.ok || end.code !== 'fault')),
});

/** The same answer. Once it is read, what its nodes did is noted. Where a part will not do, a failure is a fault. */
function learning(round: Round, answer: GatewayAnswer, replies: Replies): GatewayAnswer {
  return { ...answer, body: namingFailures(round, answer.body, replies), ends: answer.ends.then((all) => round.learn(all)) };
}

async function* namingFailures(round: Round, body: AsyncIterable<Uint8Array>, replies: Replies): AsyncGenerator<Uint8Array> {
  let hasBegun = false;
  try {
    for await (const part of body) {
      hasBegun = true;
      yield part;
    }
  } catch (error) {
    if (hasBegun || !(error instanceof MergeFailed)) throw error;
    yield Buffer.from(replies.faultText(round.strictFault(error.end)));
  }
}
