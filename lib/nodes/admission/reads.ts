import type { AdminCaller } from '../../access/verify-admin.ts';
import type { EpochMs } from '../../core/time.ts';
import { admissionLists, askingBackIn } from '../../ports/table/keys.ts';
import type { IndexQuery, Row } from '../../ports/table/table.ts';
import { stateOf } from '../../runtime/content.ts';
import { readAll } from '../../runtime/read-all.ts';
import type { Shell } from '../../runtime/shell.ts';
import type { Node, NodeIn } from '../node.ts';
import { hostsCountedMax } from './routes.ts';
import { type PooledHost, zoneOfHost } from './rows/pooled-host.ts';

/** A list of hosts or dropped nodes that wait; `zone`: only those of this zone. */
export type PoolList = Omit<IndexQuery, 'limit' | 'after'> & { readonly of: 'hosts' | 'nodes'; readonly zone?: string };

/**
 * The lists of waiting hosts and dropped nodes that the caller may see: of all zones, or of each of the caller's zones.
 */
export const poolLists = ({ zones }: AdminCaller): readonly PoolList[] =>
  zones === 'all'
    ? [
        { of: 'hosts', index: 'list', pk: admissionLists.pool },
        { of: 'nodes', index: 'inverse', pk: admissionLists.askingBack },
      ]
    : [...zones].sort().flatMap((zone): PoolList[] => [
        { of: 'hosts', index: 'inverse', pk: admissionLists.poolOf(zone), zone },
        { of: 'nodes', index: 'inverse', pk: admissionLists.askingBack, ...askingBackIn(zone), zone },
      ]);

/** The host of a row of a list; undefined for one that is no longer there. */
export function hostIn({ zone }: PoolList, row: Row | undefined, now: EpochMs): PooledHost | undefined {
  const host = stateOf<PooledHost>(row, now);
  return host && (zone === undefined || zoneOfHost(host) === zone) ? host : undefined;
}

/** The dropped node of a row of a list; undefined for one that no longer asks to come back. */
export function askingIn({ zone }: PoolList, row: Row | undefined, now: EpochMs): NodeIn<'dropped'> | undefined {
  const node = stateOf<Node>(row, now);
  if (node?.status !== 'dropped' || node.readmission !== 'asked' || node.removedAt !== undefined) return undefined;
  return zone === undefined || node.zone === zone ? node : undefined;
}

/** A page of the rows of a list; index entries are only a hint, every row is read again. */
export async function waitingIn(shell: Shell, { of: _what, zone: _whose, ...list }: PoolList, after: string | undefined, limit: number) {
  const page = await shell.table.queryIndex({ ...list, limit, ...(after !== undefined && { after }) });
  const keys = page.items.map(({ key }) => key);
  return { rows: await readAll(shell, keys), looked: page.items.length, next: page.next };
}

/**
 * How many hosts wait to be nodes, and how many dropped nodes ask to come back, as far as the caller may see them. It
 * reads at most {@link hostsCountedMax} rows of each.
 */
export async function countWaiting(shell: Shell, caller: AdminCaller): Promise<{ readonly waiting: number; readonly askingBack: number }> {
  const lists = poolLists(caller);
  const rowsOf = async (of: PoolList['of'], waits: (list: PoolList, row: Row | undefined) => boolean): Promise<number> => {
    let [count, looked] = [0, 0];
    for (const list of lists.filter((one) => one.of === of))
      for (let after: string | undefined; looked < hostsCountedMax; ) {
        const page = await waitingIn(shell, list, after, Math.min(200, hostsCountedMax - looked));
        count += page.rows.filter((row) => waits(list, row)).length;
        looked += page.looked;
        after = page.next;
        if (after === undefined) break;
      }
    return count;
  };
  const now = shell.now();
  return {
    waiting: await rowsOf('hosts', (list, row) => hostIn(list, row, now)?.standing === 'waiting'),
    askingBack: await rowsOf('nodes', (list, row) => askingIn(list, row, now) !== undefined),
  };
}
