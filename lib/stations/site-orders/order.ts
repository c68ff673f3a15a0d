import { type Decision, write } from '../../core/decision.ts';
import type { Fqdn, NodeId } from '../../core/ids.ts';
import { type EpochMs, hourMs, plusMs } from '../../core/time.ts';
import type { NodeStatus } from '../../nodes/node.ts';
import { type HostBmc, hourlyMax, type Power, type SiteOrder, type SiteOrders, waitingMax } from './site-orders.ts';
import { about, dueAt } from './told.ts';

/** The coordinator that acts on site for a zone, or why there is none. */
export type Acting = { readonly node: NodeId; readonly epoch: number } | { readonly why: string; readonly isQuorum: boolean };

/**
 * The context of an order: the coordinator, the status of the host's node where there is one, how many hosts the zone
 * has, and the host's BMC where it is known.
 */
export type OrderGround = {
  readonly acting: Acting;
  readonly status: NodeStatus | undefined;
  readonly hosts: number;
  readonly bmc: HostBmc | undefined;
  /** How long Muster waits for the answer, in ms. */
  readonly answerMs: number;
};
export type Wish = { readonly host: Fqdn; readonly by: 'operator' | 'rule'; readonly dryRun: boolean; readonly force: boolean };

/** A refused order: the kind of problem, and its cause. */
export type Refused = { readonly does: 'refuse'; readonly problem: 'refused' | 'no-quorum' | 'not-yet'; readonly because: string };
const refused = (problem: Refused['problem'], because: string): Refused => ({ does: 'refuse', problem, because });
/** The statuses of nodes that are heard, or were a moment ago. */
const heardStatuses: readonly NodeStatus[] = ['joining', 'up', 'suspect', 'leaving', 'quarantined'];

/** An order, with the command and the BMC that the coordinator's agent needs for it. */
export type Ordered = { readonly order: SiteOrder; readonly command: readonly string[] | undefined; readonly bmc: HostBmc };

/** Has the coordinator power-cycle a host, once. */
export function decideOrder(
  orders: SiteOrders | undefined,
  wish: Wish,
  ground: OrderGround,
  now: EpochMs,
): (Decision<SiteOrders> & { readonly does: 'write'; readonly ordered: Ordered }) | Refused {
  const { power, bmcs = [] } = orders ?? {};
  if (!orders || !power) return refused('refused', 'power cycles of the zone are not configured: halon station power --every 10m');
  if (wish.by === 'rule' && power.auto !== (wish.dryRun ? 'dry-run' : 'on')) return refused('refused', `the rule is ${power.auto} by now`);
  const { acting, status } = ground;
  if ('why' in acting) return refused(acting.isQuorum ? 'not-yet' : 'no-quorum', acting.why);
  if (status !== undefined && heardStatuses.includes(status) && !wish.force)
    return refused('refused', `${wish.host} is ${status}: a host that is heard, or was a moment ago, is power-cycled only with --force`);
  const bmc = bmcs.find(({ host }) => host === wish.host) ?? ground.bmc;
  if (!bmc) return refused('refused', `the BMC of ${wish.host} is unknown: it is not in the facts, and was not given by --bmc`);
  const held = wish.dryRun ? undefined : whyNotYet(orders, power, wish.host, ground.hosts, now);
  if (held !== undefined) return refused('not-yet', held);
  if (orders.waiting.length >= waitingMax) return refused('not-yet', `${waitingMax} orders wait, and there is no room for more`);
  const { node, epoch } = acting;
  const order: SiteOrder = {
    n: orders.last + 1,
    does: 'power-cycle',
    host: wish.host,
    by: wish.by,
    dryRun: wish.dryRun,
    node,
    epoch,
    at: now,
    until: plusMs(now, ground.answerMs),
  };
  const next: SiteOrders = {
    ...orders,
    last: order.n,
    waiting: [...orders.waiting, order],
    wanted: orders.wanted.filter(({ host }) => host !== order.host),
    cycled: wish.dryRun ? orders.cycled : [...recent(orders, power, now), { host: order.host, at: now }],
  };
  const because = `${order.host} is ${wish.dryRun ? 'power-cycled in a dry run' : 'power-cycled'}, order ${order.n}, under epoch ${epoch}`;
  const decision = write(next, because, { events: [about('site-order.ordered', orders.zone, order)], wakeAt: dueAt(next, now) });
  return { ...decision, ordered: { order, command: commandOf(power, bmc), bmc } };
}

/**
 * Why a power cycle must wait, by the guard-rails: one host of a zone at once, each host rarely, and half of all hosts
 * within an hour. Undefined where it need not.
 */
function whyNotYet(orders: SiteOrders, power: Power, host: Fqdn, hosts: number, now: EpochMs): string | undefined {
  const under = orders.waiting.find(({ dryRun }) => !dryRun);
  if (under) return `${under.host} is being power-cycled (order ${under.n}): only one host of a zone at once`;
  const before = orders.cycled.findLast((one) => one.host === host);
  if (before && now < plusMs(before.at, power.everyMs))
    return `${host} was power-cycled at ${iso(before.at)}: at most once in ${power.everyMs / 60_000} min`;
  const most = Math.min(hourlyMax, Math.max(1, Math.floor(hosts / 2)));
  const lately = new Set(orders.cycled.filter(({ at }) => plusMs(at, hourMs) > now).map((one) => one.host)).size;
  return lately >= most ? `${lately} hosts were power-cycled within the hour: at most ${most} of ${hosts} may be` : undefined;
}

const iso = (at: EpochMs): string => new Date(at).toISOString();
const recent = ({ cycled }: SiteOrders, { everyMs }: Power, now: EpochMs) =>
  cycled.filter(({ at }) => plusMs(at, Math.max(everyMs, hourMs)) > now);

/** The words of the command for one host; only the agent knows the file of the password. */
const commandOf = ({ command }: Power, { host, address, user }: HostBmc): readonly string[] | undefined =>
  command?.map((word) => word.replace(/\{(host|bmc|user)\}/g, (_, name: string) => ({ host, bmc: address, user })[name as 'host']));
