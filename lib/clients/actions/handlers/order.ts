import { type AdminCall, type AdminCaller, lacking } from '../../../access/verify-admin.ts';
import { Refusal } from '../../../api/problem.ts';
import { type Plan, write } from '../../../core/decision.ts';
import { ActionNumber, type NodeId } from '../../../core/ids.ts';
import { plusMs } from '../../../core/time.ts';
import { desiredRef } from '../../../nodes/desired/desired.ts';
import { decideAct } from '../../../nodes/desired/rows/order.ts';
import { apply } from '../../../runtime/apply.ts';
import { applyPlan, type Reading } from '../../../runtime/apply-plan.ts';
import { stateOf } from '../../../runtime/content.ts';
import { type Answer, answering } from '../../../runtime/on-route.ts';
import { read, readRows } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { newActionNumber } from '../../../uyuni/actions/changes.ts';
import { partsMax } from '../../../uyuni/actions/rows/action.ts';
import { type Selection, selectionOf } from '../../handlers/selection.ts';
import { perCallMax } from '../../rows/selected.ts';
import { type AddSystems, decideAdd, systemsOf } from '../decide.ts';
import { type AddedSystems, addedSystemsRef, type SystemAction, systemActionRef, takenWithinMs } from '../rows/system-action.ts';
import type { What } from '../rows/what.ts';
import { type Chosen, chosenOf } from './members.ts';

/**
 * Orders Uyuni servers to act on client systems. Those of a query are added call by call; agents are asked before the
 * last call makes the order whole, so that none is missed, and none begins before it.
 */
export async function actOnSystems({ body, request, caller: given }: AdminCall<'actOnSystems'>, shell: Shell): Promise<Answer> {
  const { action: what, ...choice } = body;
  const caller = allowed(what, given);
  const begun = placeIn(body.cursor);
  // Those that are named are one call, which needs a number only if any can take part.
  const known = begun?.number ?? (body.query === undefined ? undefined : await newActionNumber(shell));
  const selection = await selectionOf(shell, { ...choice, cursor: begun?.cursor }, `act ${known} ${JSON.stringify(what)}`, caller);
  const rest = restOf(known, selection);
  // The first call for a query is for no client systems.
  if (body.query !== undefined && !begun) return { status: 200, body: { results: [], systems: 0, ...rest } };
  const chosen = await chosenOf(shell, selection.fps, caller);
  const isLast = rest.next === undefined;
  if (known === undefined && chosen.members.length === 0) return answerOf(undefined, undefined, { members: [], left: chosen.left, rest });
  const number = known ?? (await newActionNumber(shell));
  const added: Adding = {
    number,
    what,
    by: shell.actor?.who ?? caller.name,
    call: selection.before / perCallMax,
    isLast,
    nodes: chosen.nodes,
    members: chosen.members,
  };
  if (isLast) await askAgents(shell, request.id, added);
  const { answer } = await applyPlan(shell, request, (reading) => planned(shell, reading, { added, chosen, rest }));
  return answer;
}

/** The caller where it may do this. Throws a {@link Refusal} for a command of who may run none. */
function allowed(what: What, caller: AdminCaller): AdminCaller {
  if (what.do !== 'command') return caller;
  const zones = caller.rights.execute ?? [];
  if (zones.length === 0) throw lacking('execute', 'a command runs as any user of a client system: it needs the scope execute');
  return { ...caller, zones };
}

/** The number of an action, and the cursor of the selection, in the cursor of an order; undefined without one. */
function placeIn(cursor: string | undefined): { readonly number: ActionNumber; readonly cursor: string } | undefined {
  if (cursor === undefined) return undefined;
  const dot = cursor.indexOf('.');
  const number = ActionNumber.safeParse(Number(cursor.slice(0, dot)));
  if (dot === 10 && number.success) return { number: number.data, cursor: cursor.slice(dot + 1) };
  throw new Refusal('bad-cursor', 'the cursor is none of an action: start again without one', {
    errors: [{ pointer: '/cursor', detail: 'not valid here' }],
  });
}

const restOf = (number: ActionNumber | undefined, { rest: { next, ...rest } }: Selection): Selection['rest'] => ({
  ...rest,
  ...(next !== undefined && { next: `${number}.${next}` }),
});

type Adding = AddSystems & { readonly number: ActionNumber };

/** How many nodes are asked at a time. */
const asksAtOnce = 20;

/**
 * Has the agents of all nodes that take part ask for it. Throws a {@link Refusal} for one that takes no more, as a rule
 * before any is asked.
 */
async function askAgents(shell: Shell, id: string, { number, nodes, members }: Adding): Promise<void> {
  const order = await read(shell, systemActionRef(number));
  const asked = [...new Set<NodeId>([...(order?.nodes ?? []), ...members].map(({ node }) => node))];
  const names = new Map([...(order?.nodes ?? []), ...nodes].map(({ node, fqdn }) => [node, fqdn]));
  const until = plusMs(shell.now(), takenWithinMs);
  const input = { id, number, until };
  const refuse = (node: NodeId, because: string) =>
    new Refusal('refused', `${names.get(node)}: ${because}. See whether it is up: node show`);
  if (asked.length > partsMax) throw tooManyNodes(asked.length);
  const rows = await readRows(
    shell,
    asked.map((node) => desiredRef(node)),
  );
  for (const [n, node] of asked.entries()) {
    const decision = decideAct(stateOf(rows[n], shell.now()), input, shell.now());
    if (decision.does !== 'write') throw refuse(node, decision.because);
  }
  // The caller orders the action, and the audit has that.
  const { actor: _caller, ...own } = shell;
  for (let at = 0; at < asked.length; at += asksAtOnce)
    await Promise.all(
      asked.slice(at, at + asksAtOnce).map(async (node) => {
        const { decision } = await apply(own, desiredRef(node), input, decideAct);
        if (decision.does !== 'write') throw refuse(node, decision.because);
      }),
    );
}

const tooManyNodes = (nodes: number) =>
  new Refusal('refused', `${nodes} nodes take part, and one action is for at most ${partsMax}: narrow the query`);

type Step = { readonly added: Adding; readonly chosen: Chosen; readonly rest: Selection['rest'] };

async function planned(shell: Shell, reading: Reading, { added, chosen, rest }: Step): Promise<Plan & { readonly answer: Answer }> {
  const { number, call, isLast, members } = added;
  const [orderRef, addedRef] = [systemActionRef(number), addedSystemsRef(number, call)];
  const [row, systemsRow] = await reading.rows([orderRef, addedRef]);
  const now = shell.now();
  const order = stateOf(row, now);
  const decision = decideAdd(order, added, now);
  if (decision.does === 'nothing')
    return {
      because: [decision.because],
      changes: [],
      answer: repeated(order, stateOf(systemsRow, now), decision.because, { added, chosen, rest }),
    };
  const next = decision.does === 'write' ? decision.next : undefined;
  if (next && next.nodes.length > partsMax) throw tooManyNodes(next.nodes.length);
  if (!next || (isLast && systemsOf(next) === 0))
    return {
      because: ['no client system takes part'],
      changes: [],
      answer: answerOf(undefined, number, { members, left: chosen.left, rest }),
    };
  const { expiresAt } = next;
  const systems = write<AddedSystems, never>({ systems: [...members] }, 'they take part', { expiresAt });
  const plan = {
    because: [decision.because],
    changes: [
      // The audit has the order once, when it is whole.
      { ref: orderRef, readRev: row?.rev ?? 0, decision, ...(!isLast && { besides: true as const }) },
      { ref: addedRef, readRev: systemsRow?.rev ?? 0, decision: systems, besides: true as const },
    ],
  };
  return answering(shell, plan, answerOf(next, number, { members, left: chosen.left, rest }));
}

type Answering = { readonly members: AddSystems['members']; readonly left: Chosen['left']; readonly rest: Selection['rest'] };

/** The answer to a call that is repeated: its client systems are those of the first time. Throws a {@link Refusal}. */
function repeated(
  order: SystemAction | undefined,
  added: AddedSystems | undefined,
  because: string,
  { added: { number }, chosen, rest }: Step,
): Answer {
  if (!order || !added) throw new Refusal('refused', `${because}: start the order again without a cursor`);
  const before = new Set(added.systems.map(({ fp }) => fp));
  const others = chosen.members
    .filter(({ fp }) => !before.has(fp))
    .map(({ fp }) => ({ fp, because: 'it was on no node when this was ordered' }));
  const left = [...chosen.left.filter(({ fp }) => !before.has(fp)), ...others];
  return answerOf(order, number, { members: added.systems, left, rest });
}

function answerOf(order: SystemAction | undefined, number: ActionNumber | undefined, { members, left, rest }: Answering): Answer {
  const names = new Map(order?.nodes.map(({ node, fqdn }) => [node, fqdn]));
  const results = [
    ...members.map(({ fp, node }) => ({ fp, done: true, because: `ordered at ${names.get(node)}` })),
    ...left.map(({ fp, because }) => ({ fp, done: false, because })),
  ];
  const systems = order ? systemsOf(order) : 0;
  return { status: order?.state === 'ordered' ? 202 : 200, body: { results, systems, ...(order && { action: number }), ...rest } };
}
