import type { Client } from '../../../../lib/clients/client.ts';
import { type SilenceRow, silentIn } from '../../../../lib/clients/silence/silence.ts';
import { minuteMs } from '../../../../lib/core/time.ts';
import type { DigestRow } from '../../../../lib/nodes/digests/digest.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { keyOf } from '../../../../lib/ports/table/keys.ts';
import { nameOf, type Row } from '../../../../lib/ports/table/table.ts';
import type { Committed } from '../../watching.ts';
import type { World } from '../../world/world.ts';
import type { Invariant } from '../invariant.ts';

type Accepted = Extract<Client, { standing: 'accepted' }>;
type Listed = { readonly system: string; readonly since: number };

/** How long a digest may be under way to Muster after its node has looked. */
const underWayMs = minuteMs;
/** How many at once are believed at once, of how many: more than that is rather the node's own failure. */
const isMany = (gone: number, of: number): boolean => (gone >= 3 && gone * 2 >= of) || (gone >= 10 && gone * 5 >= of);

/** People look for a machine that is called silent, and automation mends it. */
export const silent: Invariant = {
  name: 'who-is-called-silent-is-silent',
  says: 'a client system is called silent only by its own node, from a moment at which that did not see it and since which it has not called; the event is in the same commit, once; a node that loses sight of most of its own at once makes none silent for a quarter of an hour; who calls or is seen is silent no more, and in the end nobody on a node is',
  begin: ({ kernel, world, violated }) => {
    const check = (commit: readonly Committed[], { before, after }: Committed): void => {
      const [was, is] = [acceptedIn(before), acceptedIn(after)];
      if (is?.silentSince !== undefined && is.seenAt >= is.silentSince)
        violated(`${is.fqdn} is called silent since ${is.silentSince}, and called at ${is.seenAt}`);
      if (was?.silentSince === is?.silentSince || !is) return;
      const who = `${is.fqdn}`;
      if (is.silentSince === undefined) {
        if (!said(commit, 'client.heard', is.fp) && is.told) violated(`${who} is silent no more, and no event says so`);
        return;
      }
      const since = is.silentSince;
      if (was?.silentSince !== undefined) violated(`${who} is called silent once more`);
      if (!is.told || is.told.at >= since) violated(`${who} is called silent since before it was told its node`);
      if (!said(commit, 'client.silent', is.fp)) violated(`${who} is called silent, and no event says so`);
      const node = is.told && fqdnOf(world(), is.told.node);
      const onSince = node === undefined ? undefined : world().presence.onSince(is.fp, node);
      if (onSince !== undefined && onSince < since - underWayMs)
        violated(`${who} is called silent since ${since}, and is on ${node} since ${onSince}`);
    };
    return {
      committed: (changes) => {
        for (const change of changes) if (change.after.key.sk === 'client') check(changes, change);
        for (const { before, after } of changes) {
          if (after.key.sk !== 'silence' || after.gone) continue;
          const [was, is] = [before?.body as SilenceRow | undefined, after.body as SilenceRow];
          const gone = silentIn(is).length - (was ? silentIn(was).length : 0);
          const seen = was ? bitsIn(was.seen) - was.count : 0;
          if (was && isMany(gone, seen) && is.at - (is.held?.since ?? is.at) < 15 * minuteMs)
            violated(`${gone} of ${seen} of ${after.key.pk} are called silent at once`);
        }
      },
      unrest: () =>
        world().systems.flatMap((system): string[] => {
          const row = bodyOf(world(), 'client', system.fp) as Client | undefined;
          if (row?.standing !== 'accepted' || row.silentSince === undefined || !row.told) return [];
          const node = bodyOf(world(), 'node', row.told.node) as Node | undefined;
          const digest = bodyOf(world(), 'digest', row.told.node) as DigestRow | undefined;
          const onSince = node && world().presence.onSince(system.fp, node.fqdn);
          if (node?.status !== 'up' || !digest || onSince === undefined) return [];
          return [`${system.name} is called silent since ${row.silentSince}, and is on ${node.fqdn} since ${onSince}, at ${kernel.now}`];
        }),
    };
  },
};

const acceptedIn = (row: Row | undefined): Accepted | undefined => {
  const body = row?.gone ? undefined : (row?.body as Client | undefined);
  return body?.standing === 'accepted' ? body : undefined;
};

/** Whether an event of a commit lists a client system, once. */
const said = (commit: readonly Committed[], type: string, fp: string): boolean =>
  commit
    .flatMap(({ after }) => after.events)
    .filter((event) => event.type === type)
    .flatMap(({ data }) => (data as { systems: readonly Listed[] }).systems)
    .filter(({ system }) => system === fp).length === 1;

const bodyOf = ({ cluster }: World, noun: string, id: string): unknown => cluster.store.rows.rows.get(nameOf(keyOf({ noun, id })))?.body;
const fqdnOf = (world: World, node: string): string | undefined => (bodyOf(world, 'node', node) as Node | undefined)?.fqdn;
const bitsIn = (bits: Uint8Array): number => [...bits].reduce((sum, byte) => sum + byte.toString(2).replaceAll('0', '').length, 0);
