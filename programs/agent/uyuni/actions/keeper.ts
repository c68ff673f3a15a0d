import * as z from 'zod';
import { Unreachable } from '../../../../lib/api/client.ts';
import { inWords } from '../../../../lib/clients/actions/node-routes.ts';
import type { ActionNumber, Fingerprint } from '../../../../lib/core/ids.ts';
import { printable } from '../../../../lib/core/printable.ts';
import { dayMs, type EpochMs, minuteMs, plusMs, secondMs } from '../../../../lib/core/time.ts';
import type { Folder } from '../../../../lib/machine/folder.ts';
import type { World } from '../../../../lib/machine/reactor.ts';
import { everySoOften } from '../../every-so-often.ts';
import type { SystemsHere } from '../../salt/here.ts';
import { type ServerApi, ServerDown } from '../api/server-api.ts';
import { askOf, ReadRefused } from '../metadata/kinds.ts';
import type { Doing } from './allowed.ts';
import { follow, isFollowed, type LiveActions, lastReportOf, liveActions, type ReportContent, reportOf } from './follow.ts';
import { type ActionsOfMuster, RefusedByMuster, type Taken } from './muster-side.ts';
import { isToSchedule, type Left, type Order, rebootsMax, type Wanted } from './order.ts';
import { Orders } from './orders.ts';
import { scheduleOrder } from './schedule.ts';

/** How often to look whether there is something to take or to look at. */
const everyMs = 2 * secondMs;
/** An action is looked at after a tenth of its age, within these bounds: a short one is seen to end within seconds. */
const lookAfter = { leastMs: 10 * secondMs, mostMs: 5 * minuteMs } as const;
/** The wait after Muster or the server did not answer; for an order, also where it is not whole yet, or was refused. */
const againMs = 10 * secondMs;

/** What a keeper of actions works with; `login` is that of the account on the server. */
export type ActionKeeperOptions = {
  readonly folder: Folder;
  readonly server: ServerApi;
  login(): string | undefined;
  /** What is carried out here. */
  readonly allows: readonly Doing[];
  readonly world: World;
  say(line: string): void;
};

/** When an order is worked on again; without a moment, at once. */
type Due = {
  /** The server is asked again what has become of a call. */
  readonly scheduleAt?: EpochMs;
  /** The server is asked again what has become of the client systems. */
  readonly lookAt?: EpochMs;
  /** It could not be worked on: the trouble that was logged last, and how long nothing of it is tried. */
  readonly wait?: { readonly until: EpochMs; readonly why: string };
};

/** The client systems that are here, as far as actions on them need to know. */
export type Here = Pick<SystemsHere, 'minions' | 'find'>;

/**
 * Carries out this node's part of actions on client systems: takes it from Muster, has the server of this host schedule
 * it, and reports how far it has come until it has ended.
 */
export class ActionKeeper {
  readonly #options: ActionKeeperOptions;
  readonly #orders: Orders;
  readonly #due = new Map<ActionNumber, Due>();
  #notBefore: EpochMs | undefined;
  #trouble = '';

  constructor(options: ActionKeeperOptions) {
    this.#options = options;
    this.#orders = new Orders(options.folder);
  }

  /** Takes what Muster's desired state has. */
  desired(wanted: readonly { readonly number: ActionNumber }[] | undefined): void {
    this.#orders.desired(wanted);
  }

  /** Works beside the agent until it is stopped. */
  start(here: Here, muster: ActionsOfMuster): { stop(): void } {
    return everySoOften(everyMs, () => this.pass(here, muster), this.#options.world);
  }

  /** Takes what is to be taken, schedules what was taken, and looks at what is due. */
  async pass(here: Here, muster: ActionsOfMuster): Promise<void> {
    const now = this.#options.world.now();
    if (this.#notBefore !== undefined && now < this.#notBefore) return;
    this.#notBefore = undefined;
    try {
      for (const number of this.#orders.toTake()) await this.#alone(number, () => this.#take(number, here, muster));
      for (const order of this.#orders.taken())
        if (isToSchedule(order) && (this.#due.get(order.number)?.scheduleAt ?? now) <= now)
          await this.#alone(order.number, () => this.#schedule(order));
      await this.#followAll(muster);
      this.#trouble = '';
    } catch (error) {
      this.#notBefore = plusMs(now, againMs);
      // The server and Muster are logged by what calls them; a fault of ours must not end the agent.
      const isLogged = isDown(error);
      const why = reasonOf(error);
      if (!isLogged && why !== this.#trouble) this.#options.say(`actions on client systems cannot be worked on: ${why}; trying again`);
      this.#trouble = isLogged ? '' : why;
      if (error instanceof ServerDown || error instanceof ReadRefused) await this.#closeOld(why, muster);
    }
  }

  /** Ends what was followed for long enough while the server tells nothing. Muster may be away too, and logs that. */
  async #closeOld(why: string, muster: ActionsOfMuster): Promise<void> {
    const old = this.#orders.taken().filter((order) => isFollowed(order, this.#options.world.now()));
    try {
      for (const order of old) await this.#alone(order.number, () => this.#report(order, lastReportOf(order, why), muster));
    } catch (error) {
      if (!isDown(error)) throw error;
    }
  }

  /**
   * Works on one order: what is wrong with it keeps no other from being worked on. It is logged once, and tried again
   * later, unless Muster refuses it for good.
   */
  async #alone(number: ActionNumber, work: () => Promise<void>): Promise<void> {
    const before = this.#due.get(number)?.wait;
    if (before && this.#options.world.now() < before.until) return;
    try {
      await work();
      if (before && this.#due.get(number)?.wait === before) this.#dueAt(number, { wait: undefined });
    } catch (error) {
      if (isDown(error)) throw error;
      const why = reasonOf(error);
      if (error instanceof RefusedByMuster && (error.isFinal || this.#isOver(number))) return this.#giveUp(number, why);
      if (why !== before?.why) this.#options.say(`action ${number} cannot be worked on: ${why}; trying again`);
      this.#wait(number, why);
    }
  }

  /** Whether an order was followed for long enough, and its last report has been refused for a day since. */
  #isOver(number: ActionNumber): boolean {
    const order = this.#orders.taken().find((one) => one.number === number);
    return order !== undefined && isFollowed(order, plusMs(this.#options.world.now(), -dayMs));
  }

  #dueAt(number: ActionNumber, change: { readonly [name in keyof Due]: Due[name] | undefined }): void {
    const { scheduleAt, lookAt, wait } = { ...this.#due.get(number), ...change };
    this.#due.set(number, { ...(scheduleAt && { scheduleAt }), ...(lookAt && { lookAt }), ...(wait && { wait }) });
  }

  #wait(number: ActionNumber, why: string): void {
    this.#dueAt(number, { wait: { until: plusMs(this.#options.world.now(), againMs), why } });
  }

  #giveUp(number: ActionNumber, why: string): void {
    this.#orders.gone(number);
    this.#orders.ended(number);
    this.#due.delete(number);
    this.#options.say(`action ${number} is given up: ${why}`);
  }

  async #take(number: ActionNumber, here: Here, muster: ActionsOfMuster): Promise<void> {
    const { server, say } = this.#options;
    // Nobody knows yet which client systems are here.
    if (!here.minions()) return;
    const ask = askOf(server);
    // The server is asked before anything is taken: one that is down may be back before the time of the order is over.
    await ask('api.getVersion', {}, z.unknown());
    this.#orders.asksFor(number);
    const taken = await muster.take(number);
    if (taken.is !== 'taken') {
      if (taken.is === 'later') return this.#wait(number, '');
      this.#orders.gone(number);
      return say(`action ${number} is not carried out here: ${printable(taken.why)}`);
    }
    const sids = new Map(Object.entries(await ask('system.getMinionIdMap', {}, z.record(z.string(), z.int()))));
    const order = this.#orderOf(number, taken, this.#placed(taken, here, sids));
    this.#orders.take(order);
    const does = order.what.do === 'unknown' ? 'one that this agent does not know' : inWords(order.what);
    say(`action ${number}: ${does} on ${order.systems.length} client systems, ${order.left.length} are left`);
  }

  /** The client systems of a part that the server is asked for, and those that are left. */
  #placed({ what, systems }: TakenPart, here: Here, sids: ReadonlyMap<string, number>): Placed {
    const refusal = refusalOf(what, this.#options.allows);
    if (refusal !== undefined) return { systems: [], left: systems.map((fp) => ({ fp, why: refusal })) };
    const all = placed(systems, minionsOf(here), sids);
    if (what.do !== 'reboot') return all;
    const others = all.systems.slice(rebootsMax).map(({ fp }) => ({ fp, why: tooMany }));
    return { systems: all.systems.slice(0, rebootsMax), left: [...all.left, ...others] };
  }

  #orderOf(number: ActionNumber, { what, until }: TakenPart, { systems, left }: Placed): Order {
    const takenAt = this.#options.world.now();
    const earliest = this.#orders.nextEarliest(takenAt);
    return { version: 1, number, what, takenAt, until, earliest, systems, left, made: [], closed: {}, seq: 0, sent: '', reported: '' };
  }

  async #schedule(order: Order): Promise<void> {
    const { server, login, world } = this.#options;
    const next = await scheduleOrder(order, { server, login, now: world.now, keep: (one) => this.#orders.keep(one) });
    // What the server may have scheduled is looked for again.
    const scheduleAt = isToSchedule(next) ? plusMs(world.now(), againMs) : undefined;
    this.#dueAt(order.number, { scheduleAt, lookAt: undefined });
  }

  async #followAll(muster: ActionsOfMuster): Promise<void> {
    const now = this.#options.world.now();
    const due = this.#orders.taken().filter(({ number }) => (this.#due.get(number)?.lookAt ?? now) <= now);
    if (due.length === 0) return;
    const live = await liveActions(askOf(this.#options.server));
    for (const order of due) await this.#alone(order.number, () => this.#follow(order, live, muster));
  }

  async #follow(order: Order, live: LiveActions, muster: ActionsOfMuster): Promise<void> {
    const { server, world } = this.#options;
    const followed = await follow(order, live, askOf(server)).catch((error: unknown) => {
      if (error instanceof ReadRefused && isFollowed(order, world.now())) return error;
      throw error;
    });
    if (followed instanceof ReadRefused) return this.#report(order, lastReportOf(order, followed.message), muster);
    const report = reportOf(followed, world.now());
    await this.#report(followed.order, report, muster);
    const ageMs = world.now() - order.takenAt;
    const afterMs = Math.min(lookAfter.mostMs, Math.max(lookAfter.leastMs, Math.floor(ageMs / 10)));
    if (report.state !== 'ended') this.#dueAt(order.number, { lookAt: plusMs(world.now(), afterMs) });
  }

  /** Reports an order where that says something new, and lets go of one that has ended. */
  async #report(order: Order, report: ReportContent, muster: ActionsOfMuster): Promise<void> {
    const text = JSON.stringify(report);
    if (text !== order.reported) {
      // The number is on disk before it is used: a report that Muster has under it is never taken for another.
      const next = { ...order, seq: order.seq + 1, sent: text };
      this.#orders.keep(next);
      await muster.report(order.number, { ...report, seq: next.seq });
      this.#orders.keep({ ...next, reported: text });
    }
    if (report.state !== 'ended') return;
    this.#orders.ended(order.number);
    this.#due.delete(order.number);
    this.#options.say(`action ${order.number} has ended: ${report.done} done, ${report.failed} failed`);
  }
}

type TakenPart = Extract<Taken, { readonly is: 'taken' }>;
type Placed = { readonly systems: Order['systems']; readonly left: Left[] };

/** Whether nothing can be worked on now; what calls Muster and the server logs it. */
const isDown = (error: unknown): error is ServerDown | Unreachable => error instanceof ServerDown || error instanceof Unreachable;

const reasonOf = (error: unknown): string =>
  printable(error instanceof ReadRefused || error instanceof RefusedByMuster || isDown(error) ? error.message : String(error));

const tooMany = `its agent has the server reboot at most ${rebootsMax} client systems by one order: order the others anew`;

/** Why an agent does not carry out an action, whatever it is for. */
function refusalOf({ do: doing }: Wanted, allows: readonly Doing[]): string | undefined {
  if (doing === 'unknown') return 'this agent does not know this action: upgrade it';
  return allows.includes(doing) ? undefined : `its agent does not allow ${doing}: see --allow-actions`;
}

const minionsOf = (here: Here): ReadonlyMap<Fingerprint, string> =>
  new Map(
    [...(here.minions() ?? [])].flatMap((minion) => {
      const fp = here.find(minion)?.fp;
      return fp === undefined ? [] : [[fp, minion] as const];
    }),
  );

/** The client systems that are here and that the server has, with their numbers there; the others with the reason. */
function placed(fps: readonly Fingerprint[], minions: ReadonlyMap<Fingerprint, string>, sids: ReadonlyMap<string, number>): Placed {
  const systems: Order['systems'] = [];
  const left: Left[] = [];
  for (const fp of fps) {
    const minion = minions.get(fp);
    const sid = minion === undefined ? undefined : sids.get(minion);
    if (minion === undefined) left.push({ fp, why: 'it is not here any more: it may have moved to another node since' });
    else if (sid === undefined) left.push({ fp, why: 'the server has not registered it' });
    else systems.push({ fp, sid });
  }
  return { systems, left };
}
