import { type PooledHost, zoneOfHost } from '../../admission/pooled-host.ts';
import { pooledHostView } from '../../admission/view.ts';
import { fingerprintOf } from '../../identity/fingerprint.ts';
import type { Node } from '../../nodes/node.ts';
import { stateOf } from '../../runtime/content.ts';
import type { Answer } from '../../runtime/on-route.ts';
import { readAll } from '../../runtime/read-all.ts';
import type { Shell } from '../../runtime/shell.ts';
import { admissionLists, keyOf } from '../../table/keys.ts';
import type { IndexQuery } from '../../table/table.ts';
import type { AdminCall, AdminCaller } from '../verify-admin.ts';
import { cursorAt, parted, positionAt, positionOf } from './cursors.ts';
import { seesHost, seesZone } from './zones-of-caller.ts';

/** A list in which hosts wait; `zone`: of those of this zone alone. */
type PoolList = Pick<IndexQuery, 'index' | 'pk'> & { readonly zone?: string };

/** Where the hosts wait that are there for the caller: one list of all, or one of each of the caller's zones. */
const poolLists = ({ zones }: AdminCaller): readonly PoolList[] =>
  zones === 'all'
    ? [{ index: 'list', pk: admissionLists.pool }]
    : [...zones].sort().map((zone) => ({ index: 'inverse', pk: admissionLists.poolOf(zone), zone }));

/** Hosts in the pool by fingerprint, zone after zone for whoever is limited to some. */
export async function listNodePool({ query, caller }: AdminCall<'listNodePool'>, shell: Shell): Promise<Answer> {
  const lists = poolLists(caller);
  const signature = `node pool of ${lists.map(({ zone }) => zone ?? '').join(' ')}`;
  const position = await positionOf(shell, query.cursor, signature);
  let [at, after] = position === undefined ? [0, undefined] : parted(position);
  const items: object[] = [];
  for (let left = query.limit; at < lists.length && left > 0; ) {
    const page = await waitingIn(shell, lists[at]!, after, left);
    items.push(...page.hosts.map(({ host, because }) => pooledHostView(host, because)));
    left -= Math.max(1, page.looked);
    after = page.next;
    if (after === undefined) at++;
  }
  const next = at < lists.length ? await cursorAt(shell, positionAt(at, after), signature) : undefined;
  return { status: 200, body: { items, ...(next !== undefined && { next }) } };
}

/** A page of the hosts of a list; index entries are only a hint, every row is read again. */
async function waitingIn(shell: Shell, { zone, ...list }: PoolList, after: string | undefined, limit: number) {
  const page = await shell.table.queryIndex({ ...list, limit, ...(after !== undefined && { after }) });
  const keys = page.items.map(({ key }) => key);
  const hosts = (await readAll(shell, keys)).flatMap((row) => {
    const host = stateOf<PooledHost>(row, shell.now());
    return host && (zone === undefined || zoneOfHost(host) === zone) ? [{ host, because: row!.because }] : [];
  });
  return { hosts, looked: page.items.length, next: page.next };
}

/** The fingerprints of those who wait under a name, and of the node that was removed under it, as far as they are there for the caller. */
export async function fingerprintsOf(shell: Shell, fqdn: string, caller: AdminCaller): Promise<string[]> {
  const waiting: string[] = [];
  for (const list of poolLists(caller))
    for (let after: string | undefined; ; ) {
      const { hosts, next } = await waitingIn(shell, list, after, 200);
      waiting.push(...hosts.filter(({ host }) => host.fqdn === fqdn && seesHost(caller, host)).map(({ host }) => host.fp));
      if (next === undefined) break;
      after = next;
    }
  const holder = stateOf<{ node: string }>(await shell.table.read(keyOf({ noun: 'fqdn', id: fqdn })), shell.now())?.node;
  const node = holder === undefined ? undefined : stateOf<Node>(await shell.table.read(keyOf({ noun: 'node', id: holder })), shell.now());
  const isOut = node !== undefined && (node.removedAt !== undefined || node.status === 'dropped') && seesZone(caller, node.zone);
  return [...new Set([...waiting, ...(isOut ? [fingerprintOf(node.publicKey)] : [])])];
}
