import { hasEndedWithMaker, isGood, isLocked, keyNow } from '../../../access/known-keys.ts';
import { subjectIn } from '../../../access/subjects/rows/lineage.ts';
import { Refusal } from '../../../api/problem.ts';
import type { NodeId } from '../../../core/ids.ts';
import { parseSecret } from '../../../identity/secret-text.ts';
import type { Node } from '../../../nodes/node.ts';
import { refuseStranger } from '../../../nodes/verify-life.ts';
import { type NodeCaller, nodeOf } from '../../../nodes/verify-node.ts';
import { apply } from '../../../runtime/apply.ts';
import { recordAttempt } from '../../../runtime/attempts.ts';
import { stateOf } from '../../../runtime/content.ts';
import type { HttpRequest } from '../../../runtime/function.ts';
import type { Answer, Call } from '../../../runtime/on-route.ts';
import { readRow } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { uyuniNodeRoutes } from '../../node-routes.ts';
import { decideTicket, faultOf } from '../decide.ts';
import { type Ticket, ticketRef } from '../rows/ticket.ts';

type Routes = typeof uyuniNodeRoutes;

/** Uses up a ticket that a browser brought to a node, and says who enters and where. Throws a {@link Refusal}. */
export async function presentTicket({ body, caller, request }: Call<Routes['presentTicket'], NodeCaller>, shell: Shell): Promise<Answer> {
  const node = nodeOf(caller);
  refuseStranger(node, body.incarnation);
  const found = await used(shell, node, body.ticket, request);
  if (typeof found === 'string') {
    await recordRefused(shell, request, node, { ticket: body.ticket, why: found });
    throw new Refusal('refused', found);
  }
  const { id, who, name, path } = found;
  shell.log('info', 'ticket.used', { node: node.id, ticket: id, who });
  const subject = subjectIn(who);
  return { status: 200, body: { ticket: id, who, ...(subject !== undefined && { subject }), name, path } };
}

/** The ticket, which this call has used up; or why it lets nobody in. */
async function used(shell: Shell, { id: node, generation, status }: Node, text: string, request: HttpRequest): Promise<Ticket | string> {
  if (text === '') return 'a browser came without a ticket';
  if (status === 'quarantined') return 'the node is quarantined: another machine may have its key';
  const parts = parseSecret(text, 'met');
  if (typeof parts === 'string') return 'a browser came with a text that is no ticket';
  const ref = ticketRef(parts.id);
  const { id } = request;
  const row = await readRow(shell, ref);
  const by = asPerson(shell, stateOf(row, shell.now()), node, request);
  const { decision, state } = await apply(by, ref, { type: 'present', id, secret: parts.secret, node, generation }, decideTicket, row);
  if (!state) return decision.because;
  return faultOf(state, id, decision.because) ?? (await revoked(shell, state)) ?? state;
}

/**
 * What a ticket leads to at its own server is in the audit as what its person did: a node's own actions are not there.
 */
const asPerson = (shell: Shell, ticket: Ticket | undefined, node: NodeId, { id, source }: HttpRequest): Shell =>
  ticket?.node === node
    ? { ...shell, actor: { who: ticket.who, ...(ticket.key !== undefined && { key: ticket.key }), source, request: id } }
    : shell;

type Refused = { readonly ticket: string; readonly why: string };

/** Records for the audit that a browser was refused. Nobody knows whose it was; its text is not stored. */
function recordRefused(shell: Shell, request: HttpRequest, { id, fqdn }: Node, { ticket, why }: Refused): Promise<void> {
  const route = uyuniNodeRoutes.presentTicket;
  const parts = parseSecret(ticket, 'met');
  const [subject, sameAs] = typeof parts === 'string' ? [`node ${id}`, `${route.path} ${id} ${why}`] : [`ticket ${parts.id}`, undefined];
  const detail = `${why}, at ${fqdn}`;
  return recordAttempt(shell, { request, route, who: 'anyone', subject, type: 'refused', detail, ...(sameAs !== undefined && { sameAs }) });
}

/** Why a ticket holds no longer although it was neither late nor used: what it was made with has ended since. */
async function revoked(shell: Shell, { who, key: id, madeBy, createdAt }: Ticket): Promise<string | undefined> {
  const key = id === undefined ? undefined : await keyNow(shell, id);
  const hasEnded = (id !== undefined && !(key && (await isGood(key, shell)))) || (await isLocked(shell, who));
  return hasEnded || (await hasEndedWithMaker(shell, madeBy, createdAt)) ? 'the session of the person has ended since' : undefined;
}

/** Records what became of a ticket on its server. */
export async function reportEntry(
  { params, body, caller, request }: Call<Routes['reportEntry'], NodeCaller>,
  shell: Shell,
): Promise<Answer> {
  const node = nodeOf(caller);
  refuseStranger(node, body.incarnation);
  const ref = ticketRef(params.ticket);
  const { entry } = body;
  const row = await readRow(shell, ref);
  const ticket = stateOf(row, shell.now());
  if (ticket?.node !== node.id) throw new Refusal('unknown-token', `this node has used no ticket ${params.ticket}`);
  const { decision } = await apply(
    asPerson(shell, ticket, node.id, request),
    ref,
    { type: 'end', id: request.id, node: node.id, entry },
    decideTicket,
    row,
  );
  return { status: 200, body: { because: decision.because } };
}
