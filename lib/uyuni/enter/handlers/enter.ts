import type { AdminCall, AdminCaller } from '../../../access/verify-admin.ts';
import { Refusal } from '../../../api/problem.ts';
import { plusMs } from '../../../core/time.ts';
import { mintSecret } from '../../../identity/secret-text.ts';
import type { Node } from '../../../nodes/node.ts';
import { apply } from '../../../runtime/apply.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { foundNode } from '../../../zones/reads/found.ts';
import { decideTicket } from '../decide.ts';
import { actionOf, formHeaders, formOf } from '../form.ts';
import { type Ticket, ticketForMs, ticketRef } from '../rows/ticket.ts';

/** Makes a ticket for the caller. Only this answer has its secret. */
export async function enterNode({ params, body, request, caller }: AdminCall<'enterNode'>, shell: Shell): Promise<Answer> {
  const { ticket, secret } = await made(shell, { id: request.id, node: params.id, path: body.path, caller });
  return { status: 201, body: { action: actionOf(ticket.fqdn), ticket: secret, expiresAt: new Date(ticket.expiresAt).toISOString() } };
}

/** The document that leads a browser on to a server, with a ticket for the person who is signed in. */
export async function enterByForm({ params, query, request, caller }: AdminCall<'enterByForm'>, shell: Shell): Promise<Answer> {
  const { ticket, secret } = await made(shell, { id: request.id, node: params.id, path: query.path, caller });
  return { status: 200, text: formOf(ticket.fqdn, secret), headers: formHeaders(ticket.fqdn) };
}

type Asked = { readonly id: string; readonly node: string; readonly path: string; readonly caller: AdminCaller };

async function made(shell: Shell, { id, node: asked, path, caller }: Asked): Promise<{ readonly ticket: Ticket; readonly secret: string }> {
  const { node } = await foundNode(shell, asked, caller);
  refuseUnfit(node);
  const { fqdn, zone, generation } = node;
  const { name, makes, actor } = caller;
  if (!actor) throw new Error(`${name} has a scope, and is nobody`);
  const minted = mintSecret('met', shell.randomBytes);
  const now = shell.now();
  const ticket: Ticket = {
    id: minted.id,
    hash: minted.hash,
    zone,
    node: node.id,
    fqdn,
    generation,
    who: actor.who,
    name,
    ...(actor.key !== undefined && { key: actor.key }),
    madeBy: makes,
    path,
    createdAt: now,
    expiresAt: plusMs(now, ticketForMs),
  };
  await apply(shell, ticketRef(ticket.id), { type: 'make', id, ticket }, decideTicket);
  return { ticket, secret: minted.text };
}

/** Throws a {@link Refusal} for a node that is no Uyuni server, or whose agent does not answer now. */
function refuseUnfit({ fqdn, kind, status }: Node): void {
  if (kind !== 'uyuni') throw new Refusal('refused', `${fqdn} is a node of kind ${kind}: only Uyuni servers can be entered`);
  if (status !== 'up') throw new Refusal('refused', `${fqdn} is ${status}: a server can be entered while it is up`);
}
