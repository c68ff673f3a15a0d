import { type Concluded, type Decision, isSame, nothing, write } from '../core/decision.ts';
import type { Client, ClientIn } from './client.ts';
import type { ClientCommand } from './rows/command.ts';

/** What a pin comes to that is there already, which is done as well. */
export const pinnedAlready = 'it is so already';

/**
 * An operator pins a client system to a node: it goes there in its turn, and nowhere else while that node may have it.
 */
export function onPin(
  client: ClientIn<'accepted'>,
  { zone, index, node, name, hard }: Extract<ClientCommand, { type: 'pin' }>,
): Decision<Client> {
  const { fp: system, fqdn } = client;
  if (client.zone !== zone) return nothing(`it is in zone ${client.zone}, and ${name} in zone ${zone}: nothing crosses zones`);
  if (isSame(client.pin, { index, hard })) return nothing(pinnedAlready);
  const events = [{ type: 'client.pinned', version: 1, data: { system, fqdn, zone, node, hard } }];
  const because = hard
    ? `pinned to ${name}: it waits for that node and no other`
    : `pinned softly to ${name}: elsewhere only while that is away`;
  return write<Client, Concluded>({ ...client, pin: { index, hard } }, because, { events });
}

/** An operator lets a client system go: it belongs where its slot is. */
export function onUnpin(client: ClientIn<'accepted'>): Decision<Client> {
  const { pin, ...next } = client;
  if (!pin) return nothing(pinnedAlready);
  const { fp: system, fqdn, zone } = client;
  const events = [{ type: 'client.unpinned', version: 1, data: { system, fqdn, zone } }];
  return write<Client, Concluded>(next, 'pinned no more: it goes by its slot', { events });
}
