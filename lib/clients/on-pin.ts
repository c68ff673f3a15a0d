import { type Concluded, type Decision, isSame, nothing, write } from '../core/decision.ts';
import type { Client, ClientIn } from './client.ts';
import type { ClientCommand } from './rows/command.ts';

/** The reason when a pin, or its absence, is in place already. The order counts as done. */
export const pinnedAlready = 'it is so already';

/**
 * An operator pins a client system to a node. It goes there in its turn, and nowhere else while that node can have it.
 */
export function onPin(
  client: ClientIn<'accepted'>,
  { zone, index, node, name, hard }: Extract<ClientCommand, { type: 'pin' }>,
): Decision<Client> {
  const { fp: system, fqdn } = client;
  if (client.zone !== zone)
    return nothing(`it is in zone ${client.zone}, but ${name} is in zone ${zone}: a client system cannot change zones`);
  if (isSame(client.pin, { index, hard })) return nothing(pinnedAlready);
  const events = [{ type: 'client.pinned', version: 1, data: { system, fqdn, zone, node, hard } }];
  const because = hard
    ? `pinned to ${name}: it waits for that node and no other`
    : `pinned softly to ${name}: it is elsewhere only while that node is away`;
  return write<Client, Concluded>({ ...client, pin: { index, hard } }, because, { events });
}

/** An operator unpins a client system: it belongs to the owner of its slot. */
export function onUnpin(client: ClientIn<'accepted'>): Decision<Client> {
  const { pin, ...next } = client;
  if (!pin) return nothing(pinnedAlready);
  const { fp: system, fqdn, zone } = client;
  const events = [{ type: 'client.unpinned', version: 1, data: { system, fqdn, zone } }];
  return write<Client, Concluded>(next, 'unpinned: it goes by its slot', { events });
}
