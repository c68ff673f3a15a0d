import { parseSecret } from '../../../lib/identity/secret-text.ts';
import type { Ticket } from '../../../lib/uyuni/enter/rows/ticket.ts';
import type { Committed } from '../watching.ts';
import type { SimulatedHost } from '../world/host.ts';
import type { Invariant } from './invariant.ts';

const ticketIn = (row: Committed['before']): Ticket | undefined =>
  row?.key.sk === 'ticket' && !row.gone ? (row.body as Ticket) : undefined;

/** Why a ticket must not have become what it is. */
function wrongIn(before: Ticket | undefined, after: Ticket): string | undefined {
  const { presented, entry, node, expiresAt } = after;
  if (before?.presented && JSON.stringify(before.presented) !== JSON.stringify(presented)) return 'is used up a second time';
  if (before?.entry && JSON.stringify(before.entry) !== JSON.stringify(entry)) return 'has two outcomes';
  if (entry && presented?.refused !== undefined) return 'has an outcome, and was refused';
  if (entry && !presented) return 'has an outcome, and was not used';
  if (!presented || presented.refused !== undefined) return undefined;
  if (presented.node !== node) return `is for ${node}, and is used at ${presented.node}`;
  return presented.at >= expiresAt ? 'is used after its end' : undefined;
}

const tickets = /^\/nodes\/(n[0-9a-f]{16})\/tickets$/;

/** A ticket is a password that is good for one moment: whoever has it a moment later has nothing. */
export const entries: Invariant = {
  name: 'a-ticket-enters-once',
  says: 'a ticket lets one person into one server, once, before its end, at the page for which it was made; at another server it lets nobody in, and is spoiled',
  begin: ({ violated, world }) => {
    const made = new Map<string, Ticket>();
    const taken = new Map<string, string | undefined>();
    return {
      committed: (changes) => {
        for (const { before, after } of changes) {
          const ticket = ticketIn(after);
          if (!ticket) continue;
          made.set(ticket.id, ticket);
          const wrong = wrongIn(ticketIn(before), ticket);
          if (wrong !== undefined) violated(`ticket ${ticket.id} of ${ticket.who} ${wrong}`);
        }
      },
      answered: ({ method, path, status, body, request }) => {
        const node = method === 'POST' && status === 200 ? tickets.exec(path)?.[1] : undefined;
        if (node === undefined) return;
        const { ticket } = JSON.parse(body) as { readonly ticket: string };
        if (made.get(ticket)?.node !== node) violated(`ticket ${ticket} is taken for ${node}, for which it was not made`);
        if (taken.has(ticket)) violated(`ticket ${ticket} is taken by two calls`);
        taken.set(ticket, request);
      },
      unrest: () => {
        const wrong = world().hosts.flatMap((host) => wrongAt(host, made));
        for (const one of wrong) violated(one);
        return [];
      },
    };
  },
};

/** Who was let in at a server without the right to it. */
function wrongAt({ fqdn, entrance }: SimulatedHost, made: ReadonlyMap<string, Ticket>): string[] {
  const seen = new Set<string>();
  return (entrance?.entered ?? []).flatMap(({ ticket: text, page }) => {
    const parts = parseSecret(text, 'met');
    const ticket = typeof parts === 'string' ? undefined : made.get(parts.id);
    if (!ticket?.presented || ticket.fqdn !== fqdn) return [`somebody entered ${fqdn} without a ticket for it`];
    if (seen.has(ticket.id)) return [`somebody entered ${fqdn} by ticket ${ticket.id} twice`];
    seen.add(ticket.id);
    return ticket.path === page ? [] : [`somebody entered ${fqdn} at ${page} by a ticket for ${ticket.path}`];
  });
}
