import type { SiteOrder } from '../../../../lib/stations/site-orders/site-orders.ts';
import type { Stations } from '../../../../lib/stations/stations.ts';
import { rosterSize } from '../../../../lib/zones/map/rows/roster.ts';
import type { ZoneHead } from '../../../../lib/zones/zone.ts';
import type { Powered } from '../../watching.ts';
import { printedForms } from '../../world/power.ts';
import type { Invariant } from '../invariant.ts';
import { type NodeStep, nodeSteps } from '../rows.ts';
import { stationSteps } from '../station-rows.ts';
import { type Followed, FollowedOrders, type SiteOrdersStep, siteOrderSteps } from './site-order-rows.ts';

const hourMs = 3_600_000;
/** How many hosts of a zone are power-cycled within an hour at the most, whatever its size. */
const hourlyMax = 16;
/** Whoever stands still between reading a node and ordering goes by what it was, in ms. */
const staleMs = 30_000;

/**
 * Another power cycle is not the remedy for one that may have run, and whoever was elected since may be at the same
 * host.
 */
export const ordersRunOnce: Invariant = {
  name: 'an-order-on-site-is-run-once',
  says: 'a command is at the power of a host only by an order that was given for that host and is not over, in no dry run, once, on the node that it was given to, while that may act under its epoch and no other has been elected under a later one; copies of machines aside',
  begin: ({ kernel, world, violated }) => {
    const orders = new FollowedOrders();
    const zones = new Map<string, Stations>();
    return {
      committed: (changes) => {
        orders.take(changes);
        for (const { zone, after } of stationSteps(changes)) zones.set(zone, after);
      },
      powered: (act) => {
        const known = orders.powered(act, kernel.now);
        const by = world().hosts.find(({ name }) => name === act.by)!;
        if (act.is === 'over' || by.wasCloned) return;
        const told = `order ${act.order} of ${act.zone} about ${act.host} was begun by ${act.by} under epoch ${act.epoch}`;
        const node = world().nodeOf(by);
        const why = known ? whyNot(known, act, node) : 'was never given';
        if (why !== undefined) violated(`${told}, and ${why}`);
        const acts = by.onSite?.coordinator.acts();
        if (acts !== act.epoch) violated(`${told}, which acts under ${acts ?? 'none'}`);
        const elected = zones.get(act.zone)?.coordinator;
        if (elected && elected.epoch > act.epoch && elected.node !== node)
          violated(`${told}, and ${elected.host} was elected for ${elected.epoch}`);
      },
    };
  },
};

function whyNot({ order, begunAt, outcome }: Followed, { host, epoch }: Powered, node: string | undefined): string | undefined {
  if (order.host !== host || order.epoch !== epoch) return `is about ${order.host} under ${order.epoch}`;
  if (order.node !== node) return `was given to ${order.node}`;
  if (order.dryRun) return 'is a dry run';
  if (begunAt !== undefined) return 'was begun before';
  return outcome === undefined ? undefined : `was over as ${outcome}`;
}

/** A wrong rule costs one host until somebody looks. */
export const cyclesBraked: Invariant = {
  name: 'power-cycles-keep-to-the-brakes',
  says: 'in a zone no host is ordered to be power-cycled while an order about another waits, nor one that was within the time that the zone allows, nor once half of its hosts, or 16, were within the hour, but for orders that a copy of the host of the coordinator refused; and no two commands are under way at once unless nobody knows of one of them whether it runs',
  begin: ({ kernel, world, violated }) => {
    const orders = new FollowedOrders();
    const sizes = new Map<string, number>();
    // A copy that does not act refuses an order truthfully, and the original of it may carry it out all the same.
    const isRefusedByCopy = ({ outcome }: Followed): boolean => outcome === 'refused' && world().hosts.some(({ wasCloned }) => wasCloned);
    const check = ({ zone, before, after }: SiteOrdersStep, order: SiteOrder): void => {
      const told = `order ${order.n} of ${zone} about ${order.host} was given`;
      const other = after.waiting.find(({ n, dryRun }) => !dryRun && n !== order.n);
      if (other) violated(`${told} while order ${other.n} about ${other.host} waits`);
      const begun = orders.begunIn(zone).filter((one) => !isRefusedByCopy(one));
      const ran = begun.map((one) => one.order);
      const everyMs = before?.power?.everyMs ?? 0;
      const last = ran.find(({ host, at }) => host === order.host && at + everyMs > order.at);
      if (last) violated(`${told} ${order.at - last.at} ms after order ${last.n} about it, and may be each ${everyMs}`);
      const lately = new Set(ran.filter(({ at }) => at + hourMs > order.at).map(({ host }) => host)).size;
      const most = Math.min(hourlyMax, Math.max(1, Math.floor((sizes.get(zone) ?? 0) / 2)));
      if (lately >= most) violated(`${told}, and ${lately} of ${sizes.get(zone)} hosts were power-cycled within the hour`);
    };
    return {
      committed: (changes) => {
        for (const { after } of changes) {
          if (after.key.sk !== 'head' || after.gone) continue;
          const { name, roster } = after.body as ZoneHead;
          sizes.set(name, Math.max(sizes.get(name) ?? 0, rosterSize(roster)));
        }
        for (const step of orders.take(changes)) for (const order of step.given) if (!order.dryRun) check(step, order);
      },
      powered: (act) => {
        orders.powered(act, kernel.now);
        if (act.is === 'over') return;
        const other = orders.begunIn(act.zone).find((one) => one.order.n !== act.order && isKnownToRun(one));
        if (other) violated(`order ${act.order} of ${act.zone} was begun by ${act.by} while order ${other.order.n} is under way`);
      },
    };
  },
};

const isKnownToRun = ({ overAt, outcome }: Followed): boolean =>
  overAt === undefined && (outcome === undefined || outcome === 'done' || outcome === 'refused');

/** The rule is off until somebody has seen what it does. */
export const ruleWaits: Invariant = {
  name: 'by-rule-only-who-is-down',
  says: 'by rule a host is power-cycled only while its node is down, where the rule is on, and as a dry run where it says so',
  begin: ({ kernel, violated }) => {
    /** Until when each host was down, by its name. */
    const downUntil = new Map<string, number>();
    const take = ({ before, after }: NodeStep): void => {
      if (after?.status === 'down') downUntil.set(after.fqdn, Number.POSITIVE_INFINITY);
      else if (before?.status === 'down') downUntil.set(before.fqdn, kernel.now);
    };
    const check = ({ zone, before }: SiteOrdersStep, { n, host, by, dryRun }: SiteOrder): void => {
      if (by !== 'rule') return;
      const told = `${dryRun ? 'dry run' : 'order'} ${n} of ${zone} about ${host} was given by rule`;
      const auto = before?.power?.auto;
      if (auto !== (dryRun ? 'dry-run' : 'on')) violated(`${told}, which is ${auto}`);
      if ((downUntil.get(host) ?? 0) < kernel.now - staleMs) violated(`${told}, and its node is not down`);
    };
    return {
      committed: (changes) => {
        for (const step of nodeSteps(changes)) take(step);
        for (const step of siteOrderSteps(changes)) for (const order of step.given) check(step, order);
      },
    };
  },
};

/** Who reads that nothing ran orders anew. */
export const ordersEndTrue: Invariant = {
  name: 'orders-on-site-end-as-they-went',
  says: 'an order on site is done only once its command has come to its end, and refused only where nothing was run for it, then and ever after; copies of machines aside',
  begin: ({ kernel, world, violated }) => {
    const orders = new FollowedOrders();
    const isCopied = (): boolean => world().hosts.some(({ wasCloned }) => wasCloned);
    return {
      committed: (changes) => {
        for (const { zone, over } of orders.take(changes))
          for (const { n, outcome, dryRun, says } of over) {
            const { begunAt, overAt } = orders.of(zone, n)!;
            if (isCopied()) continue;
            if (outcome === 'done' && !dryRun && overAt === undefined) violated(`order ${n} of ${zone} is done (${says}), and did not run`);
            if (outcome === 'refused' && begunAt !== undefined) violated(`order ${n} of ${zone} is refused (${says}), and has run`);
          }
      },
      powered: (act) => {
        const known = orders.powered(act, kernel.now);
        if (known?.outcome === 'refused' && !isCopied()) violated(`order ${act.order} of ${act.zone} is run, and was refused`);
      },
    };
  },
};

/** A password that has come to Muster is in its table, its feed and its audit, for good. */
export const passwordsStay: Invariant = {
  name: 'no-password-leaves-its-station',
  says: 'the password of a BMC is in no call, no answer and no row, in whatever form a power program printed it',
  begin: ({ violated }) => {
    let isUsed = false;
    const check = (what: () => string, text: string | undefined): void => {
      if (isUsed && printedForms.some((form) => text?.includes(form))) violated(`${what()} holds the password of a BMC`);
    };
    return {
      powered: () => {
        isUsed = true;
      },
      asked: ({ method, path, sent }) => check(() => `${method} ${path}`, isUsed ? JSON.stringify(sent) : undefined),
      answered: ({ method, path, body }) => check(() => `the answer to ${method} ${path}`, body),
      committed: (changes) => {
        if (!isUsed) return;
        for (const { after } of changes) check(() => `${after.key.pk} ${after.key.sk}`, JSON.stringify([after.body, after.events]));
      },
    };
  },
};

/** Whoever ordered waits for what came of it, and everybody else for their turn. */
export const ordersEnd: Invariant = {
  name: 'no-order-on-site-hangs',
  says: 'once faults have ended every order on site comes to its end: it waits for no answer any more, and no host waits for its turn that is up',
  begin: ({ world }) => ({
    unrest: () =>
      [...world().cluster.store.rows.rows.values()].flatMap((row) => {
        if (row.key.sk !== 'site-orders' || row.gone) return [];
        const [step] = siteOrderSteps([{ at: row.at, by: row.by, before: undefined, after: row }]);
        const { zone, after } = step!;
        return [
          ...after.waiting.map(({ n, host }) => `order ${n} of ${zone} about ${host} waits for its answer`),
          ...after.wanted.map(({ host }) => `${host} of ${zone} waits for its turn`),
        ];
      }),
  }),
};
