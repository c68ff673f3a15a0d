import { type Decision, isSame, nothing, type Tick, write } from '../../core/decision.ts';
import type { Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import { type EpochMs, plusMs } from '../../core/time.ts';
import {
  doneMax,
  type EndedOrder,
  everyDefaultMs,
  type HostBmc,
  type Power,
  type SiteOrder,
  type SiteOrders,
  wantedForMs,
  wantedMax,
  wantedRetryMs,
} from './site-orders.ts';
import { dueAt, eventOf } from './told.ts';

/** The inputs of {@link decide}, besides new orders and the passing of time. */
export type SiteOrdersInput =
  | {
      readonly type: 'configure';
      readonly zone: ZoneName;
      readonly power?: { readonly [K in keyof Power]?: Power[K] | undefined } | undefined;
      readonly bmcs?: readonly HostBmc[] | undefined;
    }
  /**
   * The agent of a node that coordinated under an epoch has answered. It can answer its own orders alone. `refused`
   * means that nothing ran, `unknown` that it may have run.
   */
  | {
      readonly type: 'answered';
      readonly n: number;
      readonly node: NodeId;
      readonly epoch: number;
      readonly outcome: EndedOrder['outcome'];
      readonly exit?: number | undefined;
      readonly says: string;
    }
  /** A node is down, as a majority of the stations agrees. */
  | { readonly type: 'down'; readonly host: Fqdn; readonly node: NodeId }
  /** The host is no longer down, or is no longer a node. */
  | { readonly type: 'back'; readonly host: Fqdn };

/** Decides what becomes of the orders of a zone. */
export function decide(orders: SiteOrders | undefined, input: SiteOrdersInput | Tick, now: EpochMs): Decision<SiteOrders> {
  if (input.type === 'configure') return configured(orders, input, now);
  if (!orders) return nothing('nothing was ever ordered on site');
  switch (input.type) {
    case 'answered':
      return answered(orders, input, now);
    case 'down':
      return wanted(orders, input, now);
    case 'back':
      return back(orders, input.host, now);
    case 'tick':
      return onTick(orders, now);
  }
}

function configured(
  orders: SiteOrders | undefined,
  { zone, power, bmcs: given }: Extract<SiteOrdersInput, { type: 'configure' }>,
  now: EpochMs,
) {
  if (!given && power?.everyMs === undefined && power?.auto === undefined) return nothing('the request changes no setting');
  const bmcs = given ?? [];
  const before: SiteOrders = orders ?? { zone, bmcs: [], last: 0, waiting: [], ended: [], cycled: [], wanted: [] };
  const command = before.power?.command;
  const hosts = bmcs.map(({ host }) => host);
  const next: SiteOrders = {
    ...before,
    power: {
      ...(command && { command }),
      everyMs: power?.everyMs ?? before.power?.everyMs ?? everyDefaultMs,
      auto: power?.auto ?? before.power?.auto ?? 'off',
    },
    bmcs: [...before.bmcs.filter(({ host }) => !hosts.includes(host)), ...bmcs].sort((a, b) => (a.host < b.host ? -1 : 1)),
  };
  if (next.power?.auto === 'off') next.wanted = [];
  if (isSame(next, before)) return nothing('the settings are unchanged');
  return write<SiteOrders, never>(next, 'the power cycles of the zone were configured', { wakeAt: dueAt(next, now) });
}

function answered(
  orders: SiteOrders,
  { n, node, epoch, outcome, exit, says }: Extract<SiteOrdersInput, { type: 'answered' }>,
  now: EpochMs,
): Decision<SiteOrders> {
  const order = orders.waiting.find((one) => one.n === n) ?? orders.ended.find((one) => one.n === n && one.outcome === 'expired');
  if (order?.node !== node || order.epoch !== epoch) return nothing(`order ${n} does not wait for that node`);
  return ended(orders, [{ order: orderOnly(order), outcome, exit, says }], now);
}

const orderOnly = (order: SiteOrder): SiteOrder => {
  const { n, does, host, by, dryRun, node, epoch, at, until } = order;
  return { n, does, host, by, dryRun, node, epoch, at, until };
};

type Ending = {
  readonly order: SiteOrder;
  readonly outcome: EndedOrder['outcome'];
  readonly exit?: number | undefined;
  readonly says: string;
};

function ended(orders: SiteOrders, endings: readonly Ending[], now: EpochMs): Decision<SiteOrders> {
  const over = endings.map(({ order }) => order.n);
  const list = endings.map(
    ({ order, exit, ...rest }): EndedOrder => ({ ...order, ...rest, ...(exit !== undefined && { exit }), endedAt: now }),
  );
  const unused = list.filter(({ outcome }) => outcome === 'refused').map(({ host, at }) => ({ host, at }));
  const next: SiteOrders = {
    ...orders,
    waiting: orders.waiting.filter(({ n }) => !over.includes(n)),
    ended: [...orders.ended.filter(({ n }) => !over.includes(n)), ...list].slice(-doneMax),
    // A refused order did not run: the next order need not wait for it.
    cycled: orders.cycled.filter((one) => !unused.some((other) => isSame(one, other))),
  };
  const events = list.map((order) => eventOf(orders.zone, order));
  const because = list.map(({ n, host, outcome, says }) => `order ${n} about ${host} ${outcome}: ${says}`).join('; ');
  return write(next, because.slice(0, 1_000), { events, wakeAt: dueAt(next, now) });
}

/** Notes a node for the rule to have power-cycled; with the rule off, or no room, it is left to operators. */
function wanted(orders: SiteOrders, { host, node }: Extract<SiteOrdersInput, { type: 'down' }>, now: EpochMs): Decision<SiteOrders> {
  if (!orders.power || orders.power.auto === 'off') return nothing('hosts are not power-cycled by rule');
  if (orders.wanted.some((one) => one.host === host)) return nothing(`${host} waits for a power cycle already`);
  if (orders.wanted.length >= wantedMax) return nothing(`${wantedMax} hosts wait for a power cycle already`);
  const next: SiteOrders = { ...orders, wanted: [...orders.wanted, { host, node, since: now }] };
  return write<SiteOrders, never>(next, `${host} is down, and waits for a power cycle`, { wakeAt: now });
}

function back(orders: SiteOrders, host: Fqdn, now: EpochMs): Decision<SiteOrders> {
  const next: SiteOrders = { ...orders, wanted: orders.wanted.filter((one) => one.host !== host) };
  if (next.wanted.length === orders.wanted.length) return nothing(`${host} does not wait for a power cycle`);
  return write<SiteOrders, never>(next, `${host} is no longer down`, { wakeAt: dueAt(next, now) });
}

const silent = 'no answer came in time: it may have run';

function onTick(orders: SiteOrders, now: EpochMs): Decision<SiteOrders> {
  const late = orders.waiting.filter(({ until }) => until <= now);
  const left = orders.wanted.filter(({ since }) => plusMs(since, wantedForMs) > now);
  const next = left.length === orders.wanted.length ? orders : { ...orders, wanted: left };
  if (late.length > 0)
    return ended(
      next,
      late.map((order) => ({ order, outcome: 'expired' as const, says: silent })),
      now,
    );
  const wakeAt = dueAt(next, now, wantedRetryMs);
  return next === orders
    ? nothing('no order is overdue', wakeAt)
    : write<SiteOrders, never>(next, 'hosts that waited for an hour are left to operators', { wakeAt });
}
