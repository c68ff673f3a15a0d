import type { AdminCall, AdminCaller } from '../../../access/verify-admin.ts';
import { seesZone } from '../../../access/zones-of-caller.ts';
import { Refusal } from '../../../api/problem.ts';
import { type Plan, type PlannedChange, write } from '../../../core/decision.ts';
import type { ActionNumber, NodeId } from '../../../core/ids.ts';
import type { Ref } from '../../../core/ref.ts';
import { fqdnRef } from '../../../nodes/rows/name.ts';
import { applyPlan, type Reading } from '../../../runtime/apply-plan.ts';
import { stateOf } from '../../../runtime/content.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import { read, readRows } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { foundNode, foundNodes } from '../../../zones/reads/found.ts';
import { newActionNumber } from '../changes.ts';
import { decideRecord, isSameParts, type RecordAction } from '../decide.ts';
import type { ActionView } from '../routes.ts';
import { type Action, type ActionPart, type ActionThere, actionRef, actionThereRef } from '../rows/action.ts';
import { isProved, proofOf } from './proofs.ts';

/** How many parts one commit records, beside the action: a commit of the table has at most 100 rows. */
const partsAtOnce = 90;

/** Gives the caller numbers that nobody else has. */
export async function reserveActionNumbers({ body }: AdminCall<'reserveActionNumbers'>, shell: Shell): Promise<Answer> {
  const numbers: ActionNumber[] = [];
  while (numbers.length < body.count) numbers.push(await newActionNumber(shell));
  const proved = await Promise.all(numbers.map(async (number) => ({ number, proof: await proofOf(shell, number) })));
  return { status: 201, body: { numbers: proved } };
}

/** Records what servers have scheduled under a reserved number, of which the caller has the proof. */
export async function recordAction({ params, body, request, caller }: AdminCall<'recordAction'>, shell: Shell): Promise<Answer> {
  const parts = await partsOf(shell, body.parts, caller);
  const { number } = params;
  if (!(await isProved(shell, number, body.proof)))
    throw new Refusal('refused', `the proof is not of the number ${number}, or it was reserved more than an hour ago`);
  // The first commit has the whole action: its number leads to all parts, also if this ends in between.
  for (let at = 0; at < parts.length; at += partsAtOnce)
    await applyPlan(shell, { id: request.id }, (reading) => recorded(shell, reading, { number, parts }, parts.slice(at, at + partsAtOnce)));
  const action = await read(shell, actionRef(number));
  if (!action || !isSameParts(action.parts, parts)) throw new Refusal('refused', `the number ${number} does not stand for these parts`);
  return { status: 200, body: viewOf(number, action, action.parts) };
}

async function recorded(shell: Shell, reading: Reading, input: RecordAction, some: readonly ActionPart[]): Promise<Plan> {
  const { number, parts } = input;
  const row = await reading.row(actionRef(number));
  const now = shell.now();
  const known = stateOf(row, now);
  const decision = decideRecord(known, input, now);
  const isOurs = decision.does === 'write' || (known !== undefined && isSameParts(known.parts, parts));
  const expiresAt = decision.does === 'write' ? decision.expiresAt : known?.expiresAt;
  if (!isOurs || expiresAt === undefined) throw new Refusal('refused', decision.because);
  const refs = some.map(({ node, id }) => actionThereRef(node, id));
  const there = await reading.rows<ActionThere[]>(refs);
  // What a server has just scheduled is this action, whatever it had under the number before it was set up anew.
  const found = refs.flatMap((ref: Ref<ActionThere>, n): PlannedChange[] => {
    if (stateOf(there[n], now)?.number === number) return [];
    const decision = write<ActionThere, never>({ number }, 'its number in the cluster', { expiresAt });
    return [{ ref, readRev: there[n]?.rev ?? 0, decision, besides: true }];
  });
  const change: PlannedChange[] = decision.does === 'write' ? [{ ref: actionRef(number), readRev: row?.rev ?? 0, decision }] : [];
  return { because: [decision.because], changes: [...change, ...found] };
}

/**
 * The parts with their nodes. Throws a {@link Refusal} for a node that the caller may not see, or that is there twice.
 */
async function partsOf(shell: Shell, given: AdminCall<'recordAction'>['body']['parts'], caller: AdminCaller): Promise<ActionPart[]> {
  const nodes = await foundNodes(
    shell,
    given.map(({ node }) => node),
    caller,
  );
  const parts = new Map<NodeId, ActionPart>();
  for (const [n, { id: node, fqdn, zone, kind }] of nodes.entries()) {
    const id = given[n]?.id ?? 0;
    if (kind !== 'uyuni') throw new Refusal('refused', `${fqdn} is a node of kind ${kind}: it schedules no actions`);
    if (parts.has(node)) throw new Refusal('refused', `${fqdn} has one part of an action`);
    parts.set(node, { node, fqdn, zone, id });
  }
  return [...parts.values()];
}

/**
 * Which actions of servers an action of the cluster stands for: an action on a node that was removed is none of them.
 */
export async function getAction({ params: { number }, caller }: AdminCall<'getAction'>, shell: Shell): Promise<Answer> {
  const action = await read(shell, actionRef(number));
  if (!action?.parts.every(({ zone }) => seesZone(caller, zone))) throw new Refusal('not-found', `no action has the number ${number}`);
  const names = await readRows(
    shell,
    action.parts.map(({ fqdn }) => fqdnRef(fqdn)),
  );
  // Another server that has taken the name counts its own actions.
  const parts = action.parts.filter(({ node }, n) => stateOf(names[n], shell.now())?.node === node);
  return { status: 200, body: viewOf(number, action, parts) };
}

const viewOf = (number: ActionNumber, { recordedAt, expiresAt }: Action, parts: readonly ActionPart[]): ActionView => ({
  number,
  parts: parts.map(({ fqdn, id }) => ({ node: fqdn, id })),
  recordedAt: new Date(recordedAt).toISOString(),
  expiresAt: new Date(expiresAt).toISOString(),
});

/** The numbers in the cluster of actions of a server. */
export async function findActions({ query, caller }: AdminCall<'findActions'>, shell: Shell): Promise<Answer> {
  const { node } = await foundNode(shell, query.node, caller);
  const ids = [...new Set(query.ids.split(',').map(Number))];
  const rows = await readRows(
    shell,
    ids.map((id) => actionThereRef(node.id, id)),
  );
  const items = ids.flatMap((id, n) => {
    const found = stateOf(rows[n], shell.now());
    return found ? [{ id, number: found.number }] : [];
  });
  return { status: 200, body: { items } };
}
