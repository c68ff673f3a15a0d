import type { EpochMs } from '../../../../lib/core/time.ts';
import type { Row } from '../../../../lib/ports/table/table.ts';
import type { EndedOrder, SiteOrder, SiteOrders } from '../../../../lib/stations/site-orders/site-orders.ts';
import type { Committed, Powered } from '../../watching.ts';
import { onceEach } from '../once.ts';

/**
 * What is ordered on the site of a zone in a commit, as it was and is, with the orders that are new in it and those
 * that are over by it.
 */
export type SiteOrdersStep = {
  readonly zone: string;
  readonly before: SiteOrders | undefined;
  readonly after: SiteOrders;
  readonly given: readonly SiteOrder[];
  readonly over: readonly EndedOrder[];
};

const ordersIn = (row: Row | undefined): SiteOrders | undefined => (row === undefined || row.gone ? undefined : (row.body as SiteOrders));

/** The orders on site of a commit. */
export const siteOrderSteps = onceEach((changes: readonly Committed[]): readonly SiteOrdersStep[] =>
  changes.flatMap(({ before: row, after: next }): SiteOrdersStep[] => {
    const [before, after] = [ordersIn(row), next.key.sk === 'site-orders' ? ordersIn(next) : undefined];
    if (!after) return [];
    const over = after.ended.filter(({ n, outcome }) => !before?.ended.some((one) => one.n === n && one.outcome === outcome));
    return [{ zone: after.zone, before, after, given: after.waiting.filter(({ n }) => n > (before?.last ?? 0)), over }];
  }),
);

/** One order as it was given, how it has ended, and when its command was begun, by whom, and over. */
export type Followed = { readonly order: SiteOrder; outcome?: EndedOrder['outcome']; by?: string; begunAt?: EpochMs; overAt?: EpochMs };

/** All orders of all zones from when they are given, with what came of them on site. */
export class FollowedOrders {
  readonly #all = new Map<string, Followed>();

  /** Takes a commit in. */
  take(changes: readonly Committed[]): readonly SiteOrdersStep[] {
    const steps = siteOrderSteps(changes);
    for (const { zone, given, over } of steps) {
      for (const order of given) this.#all.set(`${zone} ${order.n}`, { order });
      for (const { n, outcome } of over) this.#all.get(`${zone} ${n}`)!.outcome = outcome;
    }
    return steps;
  }

  /** Takes in that a command has begun or is over; gives its order as it was before. */
  powered({ zone, order, is, by }: Powered, now: EpochMs): Followed | undefined {
    const followed = this.#all.get(`${zone} ${order}`);
    if (!followed) return undefined;
    const before = { ...followed };
    if (is === 'begun') Object.assign(followed, { by, begunAt: now });
    else followed.overAt = now;
    return before;
  }

  /** An order of a zone by its number. */
  of = (zone: string, n: number): Followed | undefined => this.#all.get(`${zone} ${n}`);

  /** Those of a zone whose command was begun. */
  begunIn = (zone: string): readonly Followed[] =>
    [...this.#all].flatMap(([id, one]) => (id.startsWith(`${zone} `) && one.begunAt !== undefined ? [one] : []));
}
