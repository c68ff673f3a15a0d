import { isCancelled, isLost } from '../../../lib/clients/actions/decide.ts';
import type { ActionOfNode, AddedSystems, SystemAction } from '../../../lib/clients/actions/rows/system-action.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { keyOf } from '../../../lib/ports/table/keys.ts';
import { nameOf } from '../../../lib/ports/table/table.ts';
import type { Committed } from '../watching.ts';
import type { SimulatedHost } from '../world/host.ts';
import type { Scheduled } from '../world/scheduler.ts';
import type { World } from '../world/world.ts';
import type { Invariant } from './invariant.ts';

const bodyOf = <T>(row: Committed['before']): T | undefined => (row === undefined || row.gone ? undefined : (row.body as T));
const numberOf = ({ after }: Committed): string => after.key.pk.split('#')[1]!;
/** How far the clocks of a machine and of an environment may be apart, in ms. */
const clocksMs = 11 * 60_000;

/** The orders of a history, as they were committed, with their client systems. */
class Orders {
  readonly orders = new Map<string, SystemAction>();
  readonly members = new Map<string, Map<string, string>>();
  readonly names = new Map<string, string>();
  /** The parts that were cancelled before an agent took them: the number and the node. */
  readonly cancelled = new Set<string>();

  take(changes: readonly Committed[]): void {
    for (const change of changes) {
      const { pk, sk } = change.after.key;
      const node = sk === 'node' ? bodyOf<Node>(change.after) : undefined;
      if (node) this.names.set(node.id, node.fqdn);
      if (!pk.startsWith('system-action#') || change.after.gone) continue;
      const number = numberOf(change);
      if (sk === 'system-action') this.orders.set(number, change.after.body as SystemAction);
      if (sk.startsWith('node#') && isCancelled(change.after.body as ActionOfNode))
        this.cancelled.add(`${number} ${sk.slice('node#'.length)}`);
      if (!sk.startsWith('added#')) continue;
      const members = this.members.get(number) ?? new Map<string, string>();
      for (const { fp, node: on } of (change.after.body as AddedSystems).systems) members.set(fp, on);
      this.members.set(number, members);
    }
  }

  /** Why a server must not have been asked this. */
  whyNot({ number, fp, at }: Scheduled, { fqdn }: SimulatedHost): string | undefined {
    const order = this.orders.get(String(number));
    if (!order) return 'and nobody has ordered that';
    if (order.state === 'collecting') return 'before the order was whole';
    if (at > order.until + clocksMs) return 'after its time';
    const node = this.members.get(String(number))?.get(fp);
    if (this.cancelled.has(`${number} ${node}`)) return 'which was cancelled before it was taken';
    return node !== undefined && this.names.get(node) === fqdn ? undefined : 'which does not take part there';
  }
}

/** A reboot that comes twice does harm. */
export const actedOnce: Invariant = {
  name: 'a-system-is-acted-on-once',
  says: 'a Uyuni server is asked at most once to act on a client system for an action, by an order that is whole, that has it on that server, whose time has not passed, and that was not cancelled there before it was taken; no two servers are asked',
  begin: ({ violated, world }) => {
    const orders = new Orders();
    const seen = new Map<SimulatedHost, number>();
    const acted = new Set<string>();
    const look = (): void => {
      for (const host of world()?.hosts ?? []) {
        const all = host.scheduler?.scheduled ?? [];
        for (const one of all.slice(seen.get(host) ?? 0)) {
          const what = `${one.fp.slice(0, 8)} is acted on at ${host.fqdn} by action ${one.number}`;
          const why = orders.whyNot(one, host);
          if (why !== undefined) violated(`${what}, ${why}`);
          if (acted.has(`${one.number} ${one.fp}`)) violated(`${what} once more`);
          acted.add(`${one.number} ${one.fp}`);
        }
        seen.set(host, all.length);
      }
    };
    return {
      committed: (changes) => {
        orders.take(changes);
        look();
      },
      unrest: () => {
        look();
        return [];
      },
    };
  },
};

const counted = ['done', 'failed', 'left', 'unknown', 'cancelled'] as const;
const states = ['taken', 'scheduled', 'ended'] as const;

/** Why the part of a node must not have become what it is. */
function wrongIn(before: ActionOfNode | undefined, after: ActionOfNode): string | undefined {
  const sum = counted.reduce((all, name) => all + after[name], 0);
  if (sum > after.systems) return `has ${after.systems} client systems, and counts ${sum}`;
  if (!before) return sum > 0 && after.state === 'taken' ? 'counts some before its agent has reported' : undefined;
  const fallen = counted.find((name) => after[name] < before[name]);
  if (fallen !== undefined) return `counts ${after[fallen]} ${fallen} in place of ${before[fallen]}`;
  if (states.indexOf(after.state) < states.indexOf(before.state)) return `is ${after.state} after it was ${before.state}`;
  return after.systems === before.systems ? undefined : `has ${after.systems} client systems in place of ${before.systems}`;
}

/** People wait for what an action counts. */
export const actionCounts: Invariant = {
  name: 'an-action-counts-each-system-once',
  says: 'the counts of an action on each node never exceed its client systems there, and never fall; what has ended stays so; no more are done or have failed than the server was asked for',
  begin: ({ violated, world }) => {
    const names = new Orders();
    return {
      committed: (changes) => {
        names.take(changes);
        for (const change of changes) {
          const { key } = change.after;
          if (!key.pk.startsWith('system-action#') || !key.sk.startsWith('node#')) continue;
          const part = bodyOf<ActionOfNode>(change.after);
          if (!part) continue;
          const fqdn = names.names.get(key.sk.slice('node#'.length));
          const what = `the part of ${fqdn} in action ${numberOf(change)}`;
          const wrong = wrongIn(bodyOf<ActionOfNode>(change.before), part);
          if (wrong !== undefined) violated(`${what} ${wrong}`);
          const asked = world().hosts.find((host) => host.fqdn === fqdn)?.scheduler?.scheduled ?? [];
          const known = asked.filter(({ number }) => String(number) === numberOf(change)).length;
          if (part.done + part.failed > known) violated(`${what} counts ${part.done + part.failed} of ${known} that were asked for`);
        }
      },
    };
  },
};

type PartOf = {
  readonly number: string;
  readonly order: SystemAction;
  readonly on: SystemAction['nodes'][number];
  readonly now: EpochMs;
};

/** Why the part of a node is not at rest; undefined where its host is not there, or has lost what it knew. */
function whyOpen({ cluster, hosts }: World, { number, order, on: { node, fqdn, systems }, now }: PartOf): string | undefined {
  const host = hosts.find(({ state }) => state?.node === node);
  if (host?.state?.phase !== 'member' || host.state.quarantined || !host.isOn || host.wasCloned) return undefined;
  const row = cluster.store.rows.rows.get(nameOf(keyOf({ noun: 'action-of-node', id: `${number}/${node}` })));
  const part = bodyOf<ActionOfNode>(row);
  if (!part) return now > order.until ? undefined : `${fqdn} has not taken its part of action ${number}`;
  // Everything can be switched off for longer than an agent has time to report: what it says then changes nothing.
  if (isLost(part, now)) return undefined;
  if (part.state !== 'ended') return `action ${number} is ${part.state} on ${fqdn}`;
  const sum = counted.reduce((all, name) => all + part[name], 0);
  return sum === systems ? undefined : `action ${number} has ended on ${fqdn} with ${sum} of ${systems}`;
}

/** Nobody is to wait for what never comes. */
export const actionsEnd: Invariant = {
  name: 'an-action-ends',
  says: 'in the end each order that was whole has ended on every server whose node is there, with every client system in one of its counts; only a host that lost its folder, that another has taken the place of, or that was away for longer than its agent has time to report, leaves its part to the time',
  begin: ({ world, kernel }) => {
    const orders = new Orders();
    return {
      committed: (changes) => orders.take(changes),
      unrest: () => {
        const whole = [...orders.orders].filter(([, { state, expiresAt }]) => state === 'ordered' && kernel.now <= expiresAt);
        return whole.flatMap(([number, order]) =>
          order.nodes.flatMap((on) => whyOpen(world(), { number, order, on, now: kernel.now }) ?? []),
        );
      },
    };
  },
};
