import { type EpochMs, plusMs } from '../../../../lib/core/time.ts';
import { dropAfterMs, type Node } from '../../../../lib/nodes/node.ts';
import type { ZoneHead } from '../../../../lib/zones/zone.ts';
import type { Invariant } from '../invariant.ts';
import { leaseMs } from '../nodes/lease-given.ts';
import { isMember, nodeSteps } from '../rows.ts';
import { vouchedIn } from '../vouched.ts';
import { isOutage } from './brakes.ts';

/** However much goes wrong, after so many ms in which sweeps begin, and so many of them, each row has had its turn. */
const enoughMs = 15 * 60_000;
/**
 * And so many more where silence may be excused: 15 minutes, and as long again for who falls silent when they end.
 * Fewer than three nodes are never a part of a zone that is held.
 */
const excusedMs = 30 * 60_000;
const excusedNodes = 3;
const enoughSweeps = 100;
/** Sweeps that begin further apart than this, in ms, were asleep in between. */
const awakeMs = 30_000;

/** A member, when it was last heard, and how much sweeping there has been since something about it was due. */
type Silent = { node: Node; heardAt: EpochMs; dueMs: number; sweeps: number };

/** A dead node must be missed, whatever else happens. */
export const silence: Invariant = {
  name: 'silence-is-noticed',
  says: 'a member whose words no queue has taken for long is suspect and then down, unless most of its zone is silent or an operator has frozen it, and given up half an hour later, unless it is to be replaced or its zone is in recovery mode',
  begin: ({ kernel, violated }) => {
    const members = new Map<string, Silent>();
    const heads = new Map<string, ZoneHead>();
    let sweptAt = 0 as EpochMs;
    const follow = (changes: Parameters<typeof nodeSteps>[0]): void => {
      for (const { id, at, before, after } of nodeSteps(changes)) {
        const known = members.get(id);
        if (!isMember(after)) members.delete(id);
        else if (!known || before?.status !== after.status)
          members.set(id, { node: after, heardAt: known?.heardAt ?? at, dueMs: 0, sweeps: 0 });
        else known.node = after;
      }
    };
    const sweep = (at: EpochMs): void => {
      const sinceMs = Math.min(at - sweptAt, awakeMs);
      sweptAt = at;
      const outages = new Set([...zonesOf(members)].flatMap(([zone, all]) => (isOutage(all, at) ? [zone] : [])));
      for (const one of members.values()) {
        const mayHold = one.node.status !== 'down' && outages.has(one.node.zone);
        const isDue = at > dueAt(one) && !mayHold && !mayStay(one, heads.get(one.node.zone));
        one.dueMs = isDue ? one.dueMs + sinceMs : 0;
        one.sweeps = isDue ? one.sweeps + 1 : 0;
        const isMany =
          one.node.status !== 'down' && [...members.values()].filter(({ node }) => node.zone === one.node.zone).length >= excusedNodes;
        if (one.dueMs > enoughMs + (isMany ? excusedMs : 0) && one.sweeps > enoughSweeps)
          violated(`${one.node.id.slice(0, 8)} is ${one.node.status} and was last heard ${at - one.heardAt} ms ago`);
      }
    };
    const hear = (id: string): void => {
      const one = members.get(id);
      if (one) Object.assign(one, { heardAt: kernel.now, dueMs: 0, sweeps: 0 });
    };
    return {
      logged: (_by, code, { row }) => {
        if (code === 'heartbeat.taken') hear(String(row).replace('node ', ''));
      },
      sent: ({ body, via }) => {
        const node = vouchedIn(body)?.node ?? (via === 'door' ? (JSON.parse(body) as { node?: string }).node : undefined);
        if (node !== undefined) hear(node);
      },
      heedsMarks: true,
      committed: (changes) => {
        follow(changes);
        for (const { at, after } of changes) {
          if (after.key.sk === 'sweep') sweep(at);
          if (after.key.sk === 'head') heads.set((after.body as ZoneHead).name, after.body as ZoneHead);
        }
      },
    };
  },
};

/** The members of each zone, as the brakes may see them. */
const zonesOf = (members: ReadonlyMap<string, Silent>): Map<string, { status: Node['status']; heardAt: EpochMs }[]> =>
  Map.groupBy(
    [...members.values()].map(({ node, heardAt }) => ({ zone: node.zone, status: node.status, heardAt: node.heardAt ?? heardAt })),
    ({ zone }) => zone,
  );

/** Whether it may be as it is for as long as it takes: an operator says so. */
const mayStay = ({ node }: Silent, head: ZoneHead | undefined): boolean => {
  const freeze = head?.brakes.freeze;
  if (freeze === 'expiry' || freeze === 'all') return true;
  return node.status === 'down' && (node.replacedBy !== undefined || head?.mode === 'recovery');
};

/** When something must become of it. */
function dueAt({ node, heardAt }: Silent): EpochMs {
  if (node.status === 'down') return plusMs(node.downAt, dropAfterMs);
  return node.status === 'leaving' && node.leaving.mode === 'hold' ? node.leaving.until! : plusMs(heardAt, leaseMs);
}
