import { entriesOf, type SystemsHead, type SystemsPage } from '../../../../lib/clients/systems/rows/list.ts';
import type { DigestRow } from '../../../../lib/nodes/digests/digest.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { nameOf } from '../../../../lib/ports/table/table.ts';
import type { World } from '../../world/world.ts';
import { ClientTruth } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';
import { ownerIn, ZonePast } from '../zones/zone-past.ts';

/** By its list a node accepts keys, and says whom it sees. */
export const nodeLists: Invariant = {
  name: 'a-node-knows-its-clients',
  says: 'in the end the newest list of each node holds every machine that was accepted and is of its slots, and nobody else, its agent holds the same, and its digest of it shows every machine that there is',
  begin: ({ world }) => {
    const zones = new ZonePast();
    const clients = new ClientTruth();
    const belongsTo = ({ zone, id }: Node): string[] => {
      const state = zones.now(zone);
      const index = state?.members.findLastIndex((member) => member?.node === id);
      const owned = [...clients.all.values()].filter(
        ({ row, fp }) => row.standing === 'accepted' && row.zone === zone && ownerIn(state!, fp, row.pin) === index,
      );
      return owned.map(({ fp }) => fp).sort();
    };
    // The daemon of a machine that was told that it is banned has ended, and somebody else may have its key.
    const isThere = (entry: string): boolean => world().systems.some(({ fp, ended }) => !ended && fp.startsWith(entry));
    return {
      committed: (changes) => {
        zones.take(changes);
        clients.take(changes);
      },
      unrest: () =>
        world().hosts.flatMap((host): string[] => {
          const id = world().nodeOf(host);
          const node = id && (rowOf(world(), 'node', id) as Node | undefined);
          if (node?.status !== 'up') return [];
          const wanted = belongsTo(node);
          const head = rowOf(world(), 'systems', node.id) as SystemsHead | undefined;
          const digest = rowOf(world(), 'digest', node.id) as DigestRow | undefined;
          const stored = head ? storedList(world(), node.id, head.newest) : [];
          const wrong = wronglyListed(wanted, stored, isThere) ?? wronglySeen(stored, head, digest, isThere);
          if (wrong) return [`the list of ${host.name}, version ${head?.newest.version ?? 0}, ${wrong}`];
          const held = JSON.parse(host.disk.read('systems.json') ?? '{"systems":[]}') as { version?: number; systems: string[] };
          const differs = wronglyListed(
            wanted,
            held.systems.map((fp) => fp.slice(0, 16)),
            isThere,
          );
          return differs ? [`the agent of ${host.name} holds version ${held.version}, which ${differs}`] : [];
        }),
    };
  },
};

const rowOf = ({ cluster }: World, noun: string, id: string): unknown => cluster.store.rows.rows.get(nameOf(keyOf({ noun, id })))?.body;

/** Three sets of pages are used in turn. */
const storedList = (world: World, node: string, { version, firsts }: SystemsHead['newest']): string[] =>
  firsts.flatMap((_, page) => entriesOf(rowOf(world, 'systems-page', `${node}/${version % 3}.${page}`) as SystemsPage));

/** Whoever only knocked, and is no machine, is on no node, and on its list when that is made anew. */
function wronglyListed(wanted: readonly string[], entries: readonly string[], isThere: (fp: string) => boolean): string | undefined {
  const listed = new Set(entries);
  const missing = wanted.find((fp) => isThere(fp) && !listed.has(fp.slice(0, 16)));
  if (missing) return `has not ${missing.slice(0, 8)}`;
  const of = new Set(wanted.map((fp) => fp.slice(0, 16)));
  const more = entries.find((entry) => !of.has(entry));
  return more && `has ${more.slice(0, 8)}, which is not its own`;
}

/** The bits of a digest are in the order of its list. */
function wronglySeen(
  entries: readonly string[],
  head: SystemsHead | undefined,
  digest: DigestRow | undefined,
  isThere: (entry: string) => boolean,
): string | undefined {
  if (entries.length === 0) return undefined;
  if (digest?.listVersion !== head!.newest.version) return `is spoken of by no digest: the newest is of ${digest?.listVersion ?? 'none'}`;
  const unseen = entries.find((entry, n) => isThere(entry) && ((digest.bits[n >> 3] ?? 0) & (1 << (n & 7))) === 0);
  return unseen && `has ${unseen.slice(0, 8)}, which its digest does not show`;
}
