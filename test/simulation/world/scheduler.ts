import type { ActionNumber, Fingerprint, Fqdn } from '../../../lib/core/ids.ts';
import { jsonIn } from '../../../lib/core/json.ts';
import { type EpochMs, minuteMs, plusMs, secondMs } from '../../../lib/core/time.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import { ActionKeeper, type Here } from '../../../programs/agent/uyuni/actions/keeper.ts';
import { actionsBy } from '../../../programs/agent/uyuni/actions/muster-side.ts';
import { type Answered, type ServerApi, ServerDown, type Values } from '../../../programs/agent/uyuni/api/server-api.ts';
import type { AgentView } from '../../../programs/agent/view.ts';
import type { Around } from '../cluster.ts';
import { oneOf } from '../random.ts';
import type { Presence } from './presence.ts';

/** A client system that the server was asked to act on: by which action of the cluster, as the agent's folder says. */
export type Scheduled = { readonly number: ActionNumber | undefined; readonly fp: Fingerprint; readonly at: EpochMs };

type ServerAction = {
  readonly id: number;
  readonly earliest: string;
  readonly sids: readonly number[];
  readonly endsAt: readonly EpochMs[];
};

/** How long client systems take, and how long a call is under way whose answer is lost, at most, in ms. */
const worksMaxMs = 4 * minuteMs;
const slowMaxMs = 150 * secondMs;
/** How long a server is away when it restarts, at most, and how long its agent is, in ms. */
const awayMaxMs = 5 * minuteMs;
const agentBackMaxMs = 20 * secondMs;

/**
 * A Uyuni server as far as its agent has it act on client systems: it schedules, loses answers, refuses, is away, and
 * its agent is killed as soon as it has done what it was asked.
 */
export class SimulatedScheduler {
  /** What it was asked, in that order. */
  readonly scheduled: Scheduled[] = [];
  /** Ends the agent, and starts it again after so many ms. */
  killAgent: (backAfterMs: number) => void = () => undefined;
  readonly #fqdn: Fqdn;
  readonly #around: Around;
  readonly #presence: Presence;
  readonly #random: () => number;
  readonly #sids = new Map<Fingerprint, number>();
  #actions: ServerAction[] = [];
  #ids = 0;
  #awayUntil = 0;

  constructor(fqdn: Fqdn, around: Around, presence: Presence) {
    this.#fqdn = fqdn;
    this.#around = around;
    this.#presence = presence;
    this.#random = around.kernel.random(`scheduler of ${fqdn}`);
  }

  /** The keeper of an agent on this host. What it asks is never answered once it has ended, as if it were killed. */
  keeper(folder: Folder, { say, world }: { say(line: string): void; readonly world: World }) {
    let isOver = false;
    const alive = async <T>(answer: Promise<T>): Promise<T> => {
      const [result] = await Promise.allSettled([answer]);
      if (isOver) return new Promise<T>(() => undefined);
      if (result.status === 'rejected') throw result.reason;
      return result.value;
    };
    const api = this.#api(folder);
    const server: ServerApi = {
      reads: (method, values, answer) => alive(api.reads(method, values, answer)),
      writes: (method, values) => alive(api.writes(method, values)),
    };
    const allows = ['highstate', 'packages', 'reboot', 'command'] as const;
    const keeper = new ActionKeeper({ folder, server, login: () => 'muster', allows, world, say });
    const start = (agent: AgentView): { stop(): void } => {
      const muster = actionsBy(agent);
      const running = keeper.start(this.#here, {
        take: (number) => alive(muster.take(number)),
        report: (number, report) => alive(muster.report(number, report)),
      });
      return {
        stop: () => {
          isOver = true;
          running.stop();
        },
      };
    };
    return { keeper, start };
  }

  /** Here the minion of a client system has its fingerprint as a name. */
  readonly #here: Here = {
    minions: () => this.#presence.seenOn(this.#fqdn),
    find: (minion) => ({ fp: minion as Fingerprint, appliedAt: undefined }),
  };

  #api = (folder: Folder): ServerApi => ({
    reads: async (method, values, answer) => {
      await this.#reached();
      const read = answer.safeParse(this.#read(method, values));
      return read.success ? { ok: true, value: read.data } : { ok: false, why: `there is no action ${String(values['actionId'])}` };
    },
    writes: (_method, values) => this.#schedule(folder, values),
  });

  /** A call takes its time; the server may be away. */
  async #reached(): Promise<void> {
    const { kernel, faults } = this.#around;
    if (faults.hits('restart', 0.05)) this.#awayUntil = kernel.now + faults.span('restart', awayMaxMs);
    await kernel.wait(1 + this.#random() * 200, `the API of ${this.#fqdn} is called`);
    if (!faults.isHealed && kernel.now < this.#awayUntil) throw new ServerDown(`${this.#fqdn} restarts`);
  }

  async #schedule(folder: Folder, values: Values): Promise<Answered<unknown>> {
    const { kernel, faults } = this.#around;
    // What is on disk before the call says which action asks.
    const number = numberIn(folder, String(values['earliestOccurrence']));
    await this.#reached();
    if (!faults.isHealed && this.#random() < 0.05) return { ok: false, why: 'No such system' };
    const lost = faults.hits('lost-answer') ? oneOf(this.#random, ['before', 'after', 'slow'] as const) : undefined;
    this.#ids += 1;
    const id = this.#ids;
    if (lost === 'slow') kernel.after(this.#random() * slowMaxMs, `${this.#fqdn} schedules late`, () => this.#add(id, number, values));
    else if (lost !== 'before') this.#add(id, number, values);
    if (lost !== undefined) throw new ServerDown('the answer was lost');
    if (faults.hits('restart', 0.5)) this.killAgent(this.#random() * agentBackMaxMs);
    return { ok: true, value: id };
  }

  #add(id: number, number: ActionNumber | undefined, values: Values): void {
    const { now } = this.#around.kernel;
    const sids = (values['sids'] ?? [values['sid']]) as number[];
    const endsAt = sids.map(() => plusMs(now, Math.round(this.#random() * worksMaxMs)));
    this.#actions.push({ id, earliest: String(values['earliestOccurrence']), sids, endsAt });
    const fps = new Map([...this.#sids].map(([fp, sid]) => [sid, fp]));
    for (const sid of sids) this.scheduled.push({ number, fp: fps.get(sid)!, at: now });
  }

  #read(method: string, { actionId }: Values): unknown {
    const { now } = this.#around.kernel;
    const listed = this.#actions.map((one) => ({ ...one, scheduler: 'muster', completedSystems: 0, failedSystems: 0 }));
    const isOver = (at: EpochMs | undefined): boolean => at !== undefined && at <= now;
    // Every fifth client system fails.
    const of = (wanted: (sid: number, isOver: boolean) => boolean) =>
      this.#actions
        .find(({ id }) => id === actionId)
        ?.sids.flatMap((sid, n) => (wanted(sid, isOver(this.#ends(actionId, n))) ? [{ server_id: sid, message: 'as drawn' }] : []));
    switch (method) {
      case 'api.getVersion':
        return '29';
      case 'system.getMinionIdMap':
        return this.#minionIds();
      case 'schedule.listAllActions':
        return listed;
      case 'schedule.listInProgressActions':
        return listed.filter(({ endsAt }) => endsAt.some((at) => !isOver(at)));
      case 'schedule.listInProgressSystems':
        return of((_sid, ended) => !ended);
      case 'schedule.listCompletedSystems':
        return of((sid, ended) => ended && sid % 5 !== 0);
      case 'schedule.listFailedSystems':
        return of((sid, ended) => ended && sid % 5 === 0);
    }
    throw new Error(`${method} is not simulated`);
  }

  #ends = (actionId: unknown, n: number): EpochMs | undefined => this.#actions.find(({ id }) => id === actionId)?.endsAt[n];

  #minionIds(): Record<string, number> {
    const seen = [...this.#presence.seenOn(this.#fqdn)] as Fingerprint[];
    for (const fp of seen) if (!this.#sids.has(fp)) this.#sids.set(fp, this.#sids.size + 1);
    return Object.fromEntries(seen.map((fp) => [fp, this.#sids.get(fp)!]));
  }
}

/** The action of the cluster whose order has this moment as its earliest, in the folder of an agent. */
function numberIn(folder: Folder, earliest: string): ActionNumber | undefined {
  const { taken = [] } = (jsonIn(folder.read('uyuni-actions.json')) ?? {}) as { readonly taken?: readonly ActionNumber[] };
  return taken.find((number) => {
    const order = jsonIn(folder.read(`uyuni-action-${number}.json`)) as { readonly earliest?: number } | undefined;
    return order?.earliest === Date.parse(earliest);
  });
}
