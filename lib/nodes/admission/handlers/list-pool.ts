import type { AdminCall, AdminCaller } from '../../../access/verify-admin.ts';
import { seesHost, seesZone } from '../../../access/zones-of-caller.ts';
import type { EpochMs } from '../../../core/time.ts';
import { fingerprintOf } from '../../../identity/fingerprint.ts';
import type { Row } from '../../../ports/table/table.ts';
import { cursorAt, parted, positionAt, positionOf } from '../../../runtime/cursors.ts';
import type { Answer } from '../../../runtime/on-route.ts';
import { read } from '../../../runtime/read.ts';
import type { Shell } from '../../../runtime/shell.ts';
import { nodeRef } from '../../node.ts';
import { fqdnRef } from '../../rows/name.ts';
import { askingIn, hostIn, type PoolList, poolLists, waitingIn } from '../reads.ts';
import type { PooledHostView } from '../routes.ts';
import { askingNodeView, pooledHostView } from '../view.ts';

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
function viewIn(list: PoolList, row: Row | undefined, now: EpochMs): PooledHostView | undefined {
  if (list.of === 'hosts') {
    const host = hostIn(list, row, now);
    return host && pooledHostView(host, row!.because);
  }
  const node = askingIn(list, row, now);
  return node && askingNodeView(node);
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
      const hosts = rows.flatMap((row) => hostIn(list, row, shell.now()) ?? []);
      waiting.push(...hosts.filter((host) => host.fqdn === fqdn && seesHost(caller, host)).map(({ fp }) => fp));
      if (next === undefined) break;
      after = next;
    }
  const holder = (await read(shell, fqdnRef(fqdn)))?.node;
  const node = holder === undefined ? undefined : await read(shell, nodeRef(holder));
  const isOut = node !== undefined && (node.removedAt !== undefined || node.status === 'dropped') && seesZone(caller, node.zone);
  return [...new Set([...waiting, ...(isOut ? [fingerprintOf(node.publicKey)] : [])])];
}
