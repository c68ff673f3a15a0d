import type { Client, Metadata } from '../../../../lib/clients/client.ts';
import { type MetadataPage, pagesOf } from '../../../../lib/clients/metadata.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { nameOf, type Row } from '../../../../lib/ports/table/table.ts';
import { readList } from '../../../../programs/agent/ledger.ts';
import type { Answered, Committed } from '../../watching.ts';
import type { World } from '../../world/world.ts';
import { ClientTruth } from '../client-past.ts';
import type { Invariant } from '../invariant.ts';
import { ownerIn, ZonePast } from '../zones/zone-past.ts';

/** What somebody was told is kept must not go with a node, a crash or a race. */
export const metadata: Invariant = {
  name: 'metadata-that-was-answered-stays-and-arrives',
  says: 'metadata that somebody was answered is there, at that revision or a later one; revisions never go back, and name the documents beside them; a node changes only what was told it; in the end the software on the node whose list a client system is on has applied what anybody else was answered',
  begin: ({ violated, world }) => {
    const zones = new ZonePast();
    const clients = new ClientTruth();
    /**
     * By client system, who made each revision: the id of a node, which knows what it has said itself, or somebody
     * else.
     */
    const makers = new Map<string, Map<number, string>>();
    /**
     * By client system, the revisions that somebody was answered: before that a node may not have been told yet, and
     * whoever asked asks again.
     */
    const told = new Map<string, Set<number>>();
    const wantedOn = (node: string, fp: string): number =>
      Math.max(0, ...[...(told.get(fp) ?? [])].filter((revision) => makers.get(fp)?.get(revision) !== node));
    return {
      committed: (changes) => {
        zones.take(changes);
        clients.take(changes);
        for (const change of changes) {
          const wrong = change.after.key.sk === 'client' ? wrongly(change, world()) : undefined;
          if (change.after.key.sk === 'client') note(makers, change);
          if (wrong) violated(`${change.after.key.pk.slice(0, 15)} by ${change.by} (${change.after.because}): ${wrong}`);
        }
      },
      answered: (call) => {
        const about = orderIn(call);
        const row = about && clients.of(about.fp)?.row;
        // What an older Muster bans is left without a word of its metadata.
        if (!about || !row || row.standing === 'banned') return;
        const now = metadataOf(row)?.revision ?? 0;
        if (now < about.revision) violated(`${call.method} ${call.path} was answered revision ${about.revision}, and it is at ${now}`);
        told.set(row.fp, (told.get(row.fp) ?? new Set()).add(about.revision));
      },
      unrest: () =>
        world().hosts.flatMap((host): string[] => {
          const id = world().nodeOf(host);
          const node = id && (bodyAt(world(), 'node', id) as Node | undefined);
          if (node?.status !== 'up') return [];
          const state = zones.now(node.zone);
          const index = state?.members.findLastIndex((member) => member?.node === node.id);
          const listed = new Set<string>(readList(host.disk)?.systems);
          return [...clients.all.values()].flatMap(({ row, fp }) => {
            const wanted = wantedOn(node.id, fp);
            // Whoever only knocked, and is no machine that comes to the node, is on its list when that is made anew,
            // and seen to then.
            if (wanted === 0 || !listed.has(fp) || row.standing !== 'accepted') return [];
            if (row.zone !== node.zone || ownerIn(state!, fp, row.pin) !== index) return [];
            const applied = world().metastore.appliedAt(host, fp);
            return applied >= wanted ? [] : [`${host.name} has applied revision ${applied} of ${fp.slice(0, 8)}, which is at ${wanted}`];
          });
        }),
    };
  },
};

function note(makers: Map<string, Map<number, string>>, { before, after }: Committed): void {
  const [was, is] = [before?.body, after.body].map((body) => (body as { metadata?: Metadata } | undefined)?.metadata);
  if (!is || is.revision === was?.revision) return;
  const { fp } = after.body as Client;
  const who = after.actor?.who ?? '';
  const of = makers.get(fp) ?? new Map<number, string>();
  makers.set(fp, of.set(is.revision, who.startsWith('node:') ? who.slice('node:'.length) : ''));
}

const metadataOf = (row: Client): Metadata | undefined => (row.standing === 'pooled' ? undefined : row.metadata);
const bodyAt = ({ cluster }: World, noun: string, id: string): unknown => rowAt(cluster, noun, id)?.body;
const rowAt = (cluster: World['cluster'], noun: string, id: string): Row | undefined =>
  cluster.store.rows.rows.get(nameOf(keyOf({ noun, id })));

/** Whose metadata a call that was carried out was about, and the revision of its answer. */
function orderIn({ method, path, status, body }: Answered): { fp: string; revision: number } | undefined {
  const fp = /\/systems\/([0-9a-f]{64})\/metadata\/[^/]+$/.exec(path)?.[1];
  if (fp === undefined || method === 'GET' || status !== 200) return undefined;
  return { fp, revision: (JSON.parse(body) as { revision: number }).revision };
}

function wrongly({ by, before: rowBefore, after: row }: Committed, { cluster }: World): string | undefined {
  const [before, after] = [rowBefore?.gone ? undefined : (rowBefore?.body as Client | undefined), row.body as Client];
  if (before?.standing !== 'accepted' || after.standing !== 'accepted') return undefined;
  const [was, is] = [before.metadata, after.metadata];
  if ((is?.revision ?? 0) < (was?.revision ?? 0)) return `its metadata went from revision ${was?.revision} to ${is?.revision ?? 'none'}`;
  if (is?.revision === was?.revision) return undefined;
  const node = row.actor?.who.startsWith('node:') ? row.actor.who.slice('node:'.length) : undefined;
  if (node !== undefined && before.told?.node !== node)
    return `${node} changed its metadata, and it was told ${before.told?.node ?? 'nobody'}`;
  for (const [kind, known] of Object.entries(is!.kinds)) {
    const pages = pagesOf(known).map((page) => rowAt(cluster, 'metadata', `${is?.of ?? after.fp}/${kind}.${page}`));
    if (pages.some((page) => !page || page.gone)) return `a document of ${kind} is not there (${by})`;
    if ((pages.at(-1)!.body as MetadataPage).revision !== known.revision) return `${kind} is not at revision ${known.revision}`;
  }
  return undefined;
}
