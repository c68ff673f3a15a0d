import { type Decision, nothing, write } from '../../core/decision.ts';
import type { NodeId } from '../../core/ids.ts';
import { type EpochMs, plusMs, unreachable } from '../../core/time.ts';
import { isSecret } from '../../identity/secret-text.ts';
import { type Entry, keptForMs, type Ticket } from './rows/ticket.ts';

/** A ticket is made, presented by a node to which a browser brought it, or has led to something there. */
export type TicketCommand =
  | { readonly type: 'make'; readonly id: string; readonly ticket: Ticket }
  | ({ readonly type: 'present'; readonly id: string } & Presented)
  | { readonly type: 'end'; readonly id: string; readonly node: NodeId; readonly entry: Entry };

/** A node that presents a ticket, in its generation. */
export type Presented = { readonly secret: string; readonly node: NodeId; readonly generation: number };

/** Decides what a command changes in a ticket's row; a refused one changes nothing, and `because` gives the reason. */
export function decideTicket(ticket: Ticket | undefined, command: TicketCommand, now: EpochMs): Decision<Ticket> {
  if (command.type === 'make')
    return ticket ? nothing('a ticket with this id exists') : stored(command.ticket, `a ticket for ${whereTo(command.ticket)}`);
  if (!ticket) return nothing('there is no such ticket');
  switch (command.type) {
    case 'present':
      return onPresent(ticket, command, now);
    case 'end':
      return onEnd(ticket, command);
    default:
      return unreachable(command);
  }
}

/**
 * Uses a ticket up. The secret is checked first, so that a caller without it learns nothing else. At another node it is
 * spoiled: nobody should have it there.
 */
function onPresent(ticket: Ticket, { id, secret, node, generation }: Extract<TicketCommand, { type: 'present' }>, now: EpochMs) {
  if (!isSecret(secret, ticket.hash)) return nothing('there is no such ticket');
  const presented = { by: id, node, at: now };
  if (node !== ticket.node) {
    const refused = `the ticket is for ${ticket.fqdn}`;
    return ticket.presented ? nothing(refused) : stored({ ...ticket, presented: { ...presented, refused } }, `refused: ${refused}`);
  }
  if (ticket.presented) return nothing('the ticket was presented before');
  if (ticket.expiresAt <= now) return nothing('the ticket is too old: it holds for 30 s');
  if (generation !== ticket.generation) return nothing('the node has joined anew since the ticket was made');
  return stored({ ...ticket, presented }, `${ticket.name} comes to ${whereTo(ticket)}`);
}

/** Records what became of a ticket at the node that has used it up, once. */
function onEnd(ticket: Ticket, { node, entry }: Extract<TicketCommand, { type: 'end' }>): Decision<Ticket> {
  if (!ticket.presented || ticket.presented.refused !== undefined || ticket.presented.node !== node)
    return nothing('this node has not used the ticket');
  if (ticket.entry) return nothing('what became of it is known');
  const because = 'login' in entry ? `${ticket.name} entered ${ticket.fqdn} as ${entry.login}` : `refused: ${entry.why}`;
  return stored({ ...ticket, entry }, because);
}

/** Why a call does not let the person of a ticket in; undefined where it has used the ticket up. */
export const faultOf = (ticket: Ticket, call: string, because: string): string | undefined =>
  ticket.presented?.by === call ? ticket.presented.refused : because;

/** The server and the page without its query, which may hold what people search for. */
const whereTo = ({ fqdn, path }: Ticket): string => `${fqdn}${path.replace(/\?.*$/, '')}`;

const stored = (next: Ticket, because: string): Decision<Ticket> =>
  write<Ticket, never>(next, because, { expiresAt: plusMs(next.expiresAt, keptForMs) });
