import type { AdminCall, AdminCaller } from '../../access/verify-admin.ts';
import { Refusal } from '../../api/problem.ts';
import type { Fqdn, ZoneName } from '../../core/ids.ts';
import { nodeRef } from '../../nodes/node.ts';
import { applyPlan, type Reading } from '../../runtime/apply-plan.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { readRow } from '../../runtime/read.ts';
import type { Shell } from '../../runtime/shell.ts';
import { foundNodeIn, foundZone } from '../../zones/reads/found.ts';
import { zoneNow } from '../../zones/reads/zones.ts';
import { type Deciding, planSeat, type SeatPlan } from './changes.ts';
import { type Candidate, decideEdit, decideLeave, decideSynced } from './decide.ts';
import { seatNodeOf } from './fit.ts';
import { candidatesIn } from './reads.ts';
import { seatRef, type Via } from './seat.ts';
import { seatView } from './view.ts';

/** The seat of a zone. */
export async function getSeat({ params, caller }: AdminCall<'getSeat'>, shell: Shell): Promise<Answer> {
  const { head } = await foundZone(shell, params.zone, caller);
  const row = await readRow(shell, seatRef(head.name));
  return { status: 200, body: seatView(head.name, stateOf(row, shell.now()), row?.because ?? 'nobody has edited yet', shell.now()) };
}

/** Who edits: a person at the servers whose call a gateway carries, or the caller. */
function editorOf(
  login: string | undefined,
  { name, actor }: AdminCaller,
): { readonly who: string; readonly via: Via; readonly by: string } {
  const by = actor?.who ?? name;
  return login === undefined ? { who: by, via: 'muster', by } : { who: login, via: 'gateway', by };
}

/** Sends the caller, or the person whose call it carries, to the seat of a zone, which is elected if need be. */
export async function editContent({ params, body, request, caller }: AdminCall<'editContent'>, shell: Shell): Promise<Answer> {
  await foundZone(shell, params.zone, caller);
  const zone = params.zone;
  const { decision } = await applyPlan(shell, request, async (reading) => {
    const candidates = await candidatesFor(shell, reading, zone, body.prefers);
    const intent = { zone, ...editorOf(body.login, caller), changes: body.changes, candidates };
    return planSeat(shell, reading, zone, (now, seatNode, at) => decideEdit(now, { ...intent, seatNode }, at));
  });
  const { edited } = decision;
  shell.log('info', 'seat.decided', { zone, does: decision.does, because: decision.because });
  if (edited.is === 'later') {
    const seconds = Math.max(1, Math.ceil((edited.until - shell.now()) / 1000));
    throw new Refusal('not-yet', edited.why, { headers: { 'retry-after': String(seconds) } });
  }
  const { node, fqdn, until, editors } = edited.seated;
  const forMs = Math.max(0, until - shell.now());
  return { status: 200, body: { zone, node, fqdn, epoch: edited.epoch, forMs, editors: editors.length } };
}

/** The nodes that can become the seat of a zone: looked for only where it has none. */
async function candidatesFor(shell: Shell, reading: Reading, zone: ZoneName, prefers: Fqdn | undefined): Promise<Candidate[]> {
  const seat = stateOf(await reading.row(seatRef(zone)), shell.now());
  const node = seat?.seated && stateOf(await reading.row(nodeRef(seat.seated.node)), shell.now());
  if (seat?.seated && seatNodeOf(node, seat.seated.generation).is !== 'gone') return [];
  // A zone that is being deleted has no nodes, and so no candidates.
  const loaded = await zoneNow(shell, zone);
  return loaded ? candidatesIn(shell, loaded, seat, prefers) : [];
}

/** The caller, or the person whose calls it carries, edits no more. */
export async function finishEditing({ params, body, request, caller }: AdminCall<'finishEditing'>, shell: Shell): Promise<Answer> {
  await foundZone(shell, params.zone, caller);
  const { zone } = params;
  const editor = editorOf(body.login, caller);
  const leaving = { zone, ...editor, because: `${editor.who} has finished`, why: 'has finished' };
  return done(shell, zone, request, (seat) => decideLeave(seat, leaving));
}

/** Ends the editing of one person, or of everybody. */
export async function endEditing({ params, body, request, caller }: AdminCall<'endEditing'>, shell: Shell): Promise<Answer> {
  await foundZone(shell, params.zone, caller);
  const { zone } = params;
  const because = `the editing of ${body.who ?? 'everybody'} was ended: ${body.because}`;
  return done(shell, zone, request, (seat) => decideLeave(seat, { zone, who: body.who, because, why: body.because }));
}

/** What was changed on a node is on all others. */
export async function markSynced({ params, body, request, caller }: AdminCall<'markSynced'>, shell: Shell): Promise<Answer> {
  const { id } = await foundNodeIn(shell, params.zone, body.node, caller);
  return done(shell, params.zone, request, (seat) => decideSynced(seat, { node: id }));
}

/** Decides about a seat, and shows what became of it. */
async function done(shell: Shell, zone: ZoneName, request: { readonly id: string }, decide: Deciding): Promise<Answer> {
  const { decision, seat }: SeatPlan = await applyPlan(shell, request, (reading) => planSeat(shell, reading, zone, decide));
  return { status: 200, body: { ...seatView(zone, seat, decision.because, shell.now()), done: decision.does === 'write' } };
}
