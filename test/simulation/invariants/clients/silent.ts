import type { Client } from '../../../../lib/clients/client.ts';
import type { SilenceRow } from '../../../../lib/clients/silence/silence.ts';
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
  begin: ({ kernel, world, violated }) => ({
    committed: (changes) => {
      for (const change of changes) {
        const { sk } = change.after.key;
        const wrong = sk === 'client' ? wronglyFlagged(changes, change, world()) : sk === 'silence' ? tooMany(change) : undefined;
        if (wrong !== undefined) violated(wrong);
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
  }),
};

/** What is wrong about the flag in a client system's row, if anything is. */
function wronglyFlagged(commit: readonly Committed[], { before, after }: Committed, world: World): string | undefined {
  const [was, is] = [acceptedIn(before), acceptedIn(after)];
  if (!is) return undefined;
  const since = is.silentSince;
  if (since !== undefined && is.seenAt >= since) return `${is.fqdn} is called silent since ${since}, and called at ${is.seenAt}`;
  if (was?.silentSince === since) return undefined;
  if (since === undefined)
    return said(commit, 'client.heard', is.fp) || !is.told ? undefined : `${is.fqdn} is silent no more, and no event says so`;
  if (was?.silentSince !== undefined) return `${is.fqdn} is called silent once more`;
  if (!said(commit, 'client.silent', is.fp)) return `${is.fqdn} is called silent, and no event says so`;
  return wronglySeen(is, since, world);
}

/** Whether its node has seen a client system all the time that it is said not to have. */
function wronglySeen({ fqdn, fp, told }: Accepted, since: number, world: World): string | undefined {
  if (!told || told.at >= since) return `${fqdn} is called silent since before it was told its node`;
  const node = fqdnOf(world, told.node);
  const onSince = node === undefined ? undefined : world.presence.onSince(fp, node);
  return onSince !== undefined && onSince < since - underWayMs
    ? `${fqdn} is called silent since ${since}, and is on ${node} since ${onSince}`
    : undefined;
}

/** Whether a node says of too many at once that they are silent. */
function tooMany({ before, after }: Committed): string | undefined {
  if (!before || after.gone) return undefined;
  const [was, is] = [before.body as SilenceRow, after.body as SilenceRow];
  const [gone, of] = [is.count - was.count, bitsIn(was.seen) - was.count];
  return isMany(gone, of) && is.at - (is.held?.since ?? is.at) < 15 * minuteMs
    ? `${gone} of ${of} of ${after.key.pk} are called silent at once`
    : undefined;
}

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
