import type { Answered } from '../../watching.ts';
import { byteOf, clientCall, isOwn, nameTold } from '../client-calls.ts';
import { type ClientPast, ClientTruth } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';

/** A ban is what an administrator does when a key has been stolen. */
export const banned: Invariant = {
  name: 'a-ban-is-for-ever',
  says: 'from the commit of a ban on, no call names a node to that machine, no node is handed or told to accept its key; in the end no list holds it, and once it was told it drives nothing and its daemon has ended',
  begin: ({ violated, world }) => {
    const clients = new ClientTruth();
    const told = new Set<string>();
    const isBanned = (client: ClientPast | undefined, askedAt: number): client is ClientPast =>
      client?.bannedAt !== undefined && client.bannedAt < askedAt;
    return {
      committed: clients.take.bind(clients),
      answered: (call) => {
        // A machine that its node sees asks every six hours only; meanwhile its key is taken from the node.
        if (byteOf(call) === '3' && isOwn(call)) told.add(clients.of(clientCall(call)!.fp)?.fp ?? '');
        const fqdn = nameTold(call);
        const named = fqdn === undefined ? undefined : clients.of(clientCall(call)!.fp);
        if (isBanned(named, call.askedAt)) violated(`${named.fp.slice(0, 8)} is banned and was sent to ${fqdn}`);
        for (const fp of handedOut(call))
          if (isBanned(clients.of(fp), call.askedAt)) violated(`${fp.slice(0, 8)} is banned and on a list handed out by ${call.path}`);
        const asked = /^\/nodes\/[^/]+\/systems\/([0-9a-f]{64})$/.exec(call.path)?.[1];
        if (asked === undefined || call.status !== 200 || !isBanned(clients.of(asked), call.askedAt)) return;
        if (!call.body.includes('"banned"')) violated(`${asked.slice(0, 8)} is banned, and a node was told ${call.body}`);
      },
      unrest: () =>
        world().systems.flatMap((system) => {
          if (clients.of(system.fp)?.bannedAt === undefined) return [];
          const nodes = world().presence.nodesOf(system.fp);
          const holders = world().hosts.filter(({ disk }) => disk.read('systems.json')?.includes(system.fp));
          return [
            ...(system.ended || !told.has(system.fp) ? [] : [`the daemon of ${system.name} is at work, and it is banned`]),
            ...(told.has(system.fp) ? nodes : []).map((node) => `${system.name} is banned and driven to ${node}`),
            ...holders.map(({ name }) => `${system.name} is banned and on the list of ${name}`),
          ];
        }),
    };
  },
};

/**
 * The fingerprints of a list that a node was given. Those of an action are held against such a list by its agent: they
 * are who took part when it was ordered.
 */
function handedOut({ path, status, body }: Answered): readonly string[] {
  if (status !== 200 || !/^\/nodes\/[^/]+\/systems$/.test(path)) return [];
  return (JSON.parse(body) as { systems: readonly string[] }).systems;
}
