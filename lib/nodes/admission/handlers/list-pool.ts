import type { AdminCall, AdminCaller } from '../../../access/verify-admin.ts';
import { seesHost, seesZone } from '../../../access/zones-of-caller.ts';
import type { EpochMs } from '../../../core/time.ts';
import { fingerprintOf } from '../../../identity/fingerprint.ts';
import { admissionLists, askingBackIn } from '../../../ports/table/keys.ts';
import type { IndexQuery, Row } from '../../../ports/table/table.ts';
import { stateOf } from '../../../runtime/content.ts';
import { cursorAt, parted, positionAt, positionOf } from '../../../runtime/cursors.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import { read } from '../../../runtime/read.ts';
import { readAll } from '../../../runtime/read-all.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { type Node, nodeRef } from '../../node.ts';
import { fqdnRef } from '../../rows/name.ts';
import type { PooledHostView } from '../routes.ts';
import { type PooledHost, zoneOfHost } from '../rows/pooled-host.ts';
import { askingNodeView, pooledHostView } from '../view.ts';

/** A list of hosts or dropped nodes that wait; `zone`: only those of this zone. */
type PoolList = Omit<IndexQuery, 'limit' | 'after'> & { readonly of: 'hosts' | 'nodes'; readonly zone?: string };

/**
 * The lists of waiting hosts and dropped nodes that the caller may see: of all zones, or of each of the caller's zones.
 */
const poolLists = ({ zones }: AdminCaller): readonly PoolList[] =>
  zones === 'all'
    ? [
        { of: 'hosts', index: 'list', pk: admissionLists.pool },
        { of: 'nodes', index: 'inverse', pk: admissionLists.askingBack },
      ]
    : [...zones].sort().flatMap((zone): PoolList[] => [
        { of: 'hosts', index: 'inverse', pk: admissionLists.poolOf(zone), zone },
        { of: 'nodes', index: 'inverse', pk: admissionLists.askingBack, ...askingBackIn(zone), zone },
      ]);

/**
 * Lists hosts in the pool by fingerprint, then nodes that ask to come back; zone after zone for callers that are
 * limited to some.
 */
export async function listNodePool({ query, caller }: AdminCall<'listNodePool'>, shell: Shell): Promise<Answer> {
  const lists = poolLists(caller);
  const signature = `node pool of ${lists.map(({ zone }) => zone ?? '').join(' ')}`;
  const position = await positionOf(shell, query.cursor, signature);
  let [at, after] = position === undefined ? [0, undefined] : parted(position);
  const items: object[] = [];
  for (let left = query.limit; at < lists.length && left > 0; ) {
    const list = lists[at]!;
    const page = await waitingIn(shell, list, after, left);
    items.push(...page.rows.flatMap((row) => viewIn(list, row, shell.now()) ?? []));
    left -= Math.max(1, page.looked);
    after = page.next;
    if (after === undefined) at++;
  }
  const next = at < lists.length ? await cursorAt(shell, positionAt(at, after), signature) : undefined;
  return { status: 200, body: { items, ...(next !== undefined && { next }) } };
}

/** The view of a row of a list; undefined for one that no longer waits there. */
function viewIn({ of, zone }: PoolList, row: Row | undefined, now: EpochMs): PooledHostView | undefined {
  if (of === 'hosts') {
    const host = hostIn(zone, row, now);
    return host && pooledHostView(host, row!.because);
  }
  const node = stateOf<Node>(row, now);
  if (node?.status !== 'dropped' || node.readmission !== 'asked' || node.removedAt !== undefined) return undefined;
  return zone === undefined || node.zone === zone ? askingNodeView(node) : undefined;
}

function hostIn(zone: string | undefined, row: Row | undefined, now: EpochMs): PooledHost | undefined {
  const host = stateOf<PooledHost>(row, now);
  return host && (zone === undefined || zoneOfHost(host) === zone) ? host : undefined;
}

/** A page of the rows of a list; index entries are only a hint, every row is read again. */
async function waitingIn(shell: Shell, { of: _what, zone: _whose, ...list }: PoolList, after: string | undefined, limit: number) {
  const page = await shell.table.queryIndex({ ...list, limit, ...(after !== undefined && { after }) });
  const keys = page.items.map(({ key }) => key);
  return { rows: await readAll(shell, keys), looked: page.items.length, next: page.next };
}

/**
 * The fingerprints of the hosts that wait under a name, and of the node that was removed or dropped under it, as far as
 * the caller may see them.
 */
export async function fingerprintsOf(shell: Shell, fqdn: string, caller: AdminCaller): Promise<string[]> {
  const waiting: string[] = [];
  for (const list of poolLists(caller).filter(({ of }) => of === 'hosts'))
    for (let after: string | undefined; ; ) {
      const { rows, next } = await waitingIn(shell, list, after, 200);
      const hosts = rows.flatMap((row) => hostIn(list.zone, row, shell.now()) ?? []);
      waiting.push(...hosts.filter((host) => host.fqdn === fqdn && seesHost(caller, host)).map(({ fp }) => fp));
      if (next === undefined) break;
      after = next;
    }
  const holder = (await read(shell, fqdnRef(fqdn)))?.node;
  const node = holder === undefined ? undefined : await read(shell, nodeRef(holder));
  const isOut = node !== undefined && (node.removedAt !== undefined || node.status === 'dropped') && seesZone(caller, node.zone);
  return [...new Set([...waiting, ...(isOut ? [fingerprintOf(node.publicKey)] : [])])];
}
