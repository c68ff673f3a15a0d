import type { Node } from '../../../../lib/nodes/node.ts';
import { ClientTruth, pinsSince } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';
import { nodeSteps, skewMs } from '../rows.ts';
import { ownerIn, ZonePast } from '../zones/zone-past.ts';

const about = /^\/nodes\/([^/]+)\/systems\/([0-9a-f:]+)$/i;

/** A node turns a key away for good by this word, and the machine waits until somebody looks. */
export const verdicts: Invariant = {
  name: 'not-yours-is-said-by-the-newest-map',
  says: "a node is told that a client system is another's only where it was so in the map of the moment at which the answer was made",
  begin: ({ violated }) => {
    const zones = new ZonePast();
    const clients = new ClientTruth();
    const nodes = new Map<string, Node>();
    return {
      committed: (changes) => {
        zones.take(changes);
        clients.take(changes);
        for (const { id, after } of nodeSteps(changes)) if (after) nodes.set(id, after);
      },
      answered: ({ method, path, status, body, askedAt, at, by }) => {
        const [, id, fp] = (method === 'GET' && status === 200 && about.exec(path)) || [];
        if (id === undefined || !body.includes('not-yours')) return;
        const client = clients.of(fp!.replaceAll(':', '').toLowerCase());
        const node = nodes.get(decodeURIComponent(id));
        if (!node || client?.row.standing !== 'accepted' || client.row.zone !== node.zone) return;
        const maps = zones.between(node.zone, askedAt - skewMs, at);
        const isOwn = pinsSince(client, askedAt - skewMs).every((pin) =>
          // A node that came back as another member has more indexes than one, and counts by the last.
          maps.every((zone) => zone.members.findLastIndex((member) => member?.node === node.id) === ownerIn(zone, client.fp, pin)),
        );
        if (isOwn) violated(`${node.id.slice(0, 8)} was told by ${by} that ${client.fp.slice(0, 8)} is another's, and it is its own`);
      },
    };
  },
};
