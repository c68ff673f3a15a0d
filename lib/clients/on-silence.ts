import { type Concluded, type Decision, nothing, write } from '../core/decision.ts';
import type { EpochMs } from '../core/time.ts';
import type { Client, ClientIn } from './client.ts';
import type { ClientCommand } from './rows/command.ts';

type Accepted = ClientIn<'accepted'>;

/**
 * Its node no longer sees it. It is silent from then on, unless it was assigned or has called since. Its status, its
 * node and its token stay as they are. The event is in the row of the node's silence, for many client systems at once.
 */
export function onSilent(client: Accepted, { node, since }: Extract<ClientCommand, { type: 'silent' }>): Decision<Client> {
  const { told, silentSince } = client;
  if (silentSince !== undefined) return nothing('it is silent already');
  if (told?.node !== node) return nothing('it is assigned to another node');
  if (told.at >= since) return nothing('it was assigned to this node since');
  if (client.seenAt >= since) return nothing('it has called since');
  return write<Client, never>(
    { ...client, silentSince: since },
    `silent since ${new Date(since).toISOString()}: its node no longer sees it, and it has not called`,
  );
}

/** Its node sees it again. */
export function onHeard(client: Accepted): Decision<Client> {
  const { silentSince, ...heard } = client;
  return silentSince === undefined ? nothing('it is not silent') : write<Client, never>(heard, 'its node sees it again');
}

/** An accepted client system that calls now: it is not silent, and this is its last sign of life. */
export function calling(client: Accepted, now: EpochMs): Accepted {
  const { silentSince: _until, ...heard } = client;
  return { ...heard, seenAt: now };
}

/** The event of a client system that calls after it was silent. */
export const heardByCall = (client: Client): readonly Concluded[] =>
  client.standing !== 'accepted' || client.silentSince === undefined
    ? []
    : [
        {
          type: 'client.heard',
          version: 1,
          data: { zone: client.zone, by: 'call', systems: [{ system: client.fp, fqdn: client.fqdn, since: client.silentSince }] },
        },
      ];
