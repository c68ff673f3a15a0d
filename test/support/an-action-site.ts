import { Unreachable } from '../../lib/api/client.ts';
import type { ActionNumber, Fingerprint } from '../../lib/core/ids.ts';
import { type EpochMs, hourMs } from '../../lib/core/time.ts';
import { folderAt } from '../../lib/machine/folder.ts';
import type { Doing } from '../../programs/agent/uyuni/actions/allowed.ts';
import { ActionKeeper } from '../../programs/agent/uyuni/actions/keeper.ts';
import type { ActionsOfMuster, Taken } from '../../programs/agent/uyuni/actions/muster-side.ts';
import type { Wanted } from '../../programs/agent/uyuni/actions/order.ts';
import { type ServerApi, ServerDown, type Values } from '../../programs/agent/uyuni/api/server-api.ts';

type Report = Parameters<ActionsOfMuster['report']>[1];
type ServerAction = { readonly id: number; readonly earliest: string; readonly method: string; readonly sids: readonly number[] };

/** What a server does when it is asked to schedule: it may end before, or after it has. */
export type Trouble = 'before' | 'after' | 'refuses' | 'slow';

/** The name of a client system by that of its minion. */
export const fpOf = (minion: string): Fingerprint => Buffer.from(minion).toString('hex').slice(0, 64).padEnd(64, '0') as Fingerprint;

/** A server that schedules actions, and the calls that it was asked to schedule by. */
export class SchedulingServer implements ServerApi {
  readonly actions: ServerAction[] = [];
  /** By the numbers of systems: what became of their part of each action. */
  readonly outcomes = new Map<string, string>();
  readonly minions = new Map<string, number>();
  trouble: Trouble | undefined;
  isDown = false;
  calls = 0;
  /** Actions that a call has left to appear later. */
  coming: ServerAction[] = [];

  /** Methods that read, which the server refuses, and how it says so. */
  readonly refuses = new Map<string, string>();
  /** How often each method that reads was called. */
  readonly asked = new Map<string, number>();

  reads: ServerApi['reads'] = async (method, values, answer) => {
    if (this.isDown) throw new ServerDown('it is away');
    this.asked.set(method, (this.asked.get(method) ?? 0) + 1);
    const why = this.refuses.get(method) ?? this.#whyNot(values);
    if (why !== undefined) return { ok: false, why };
    const read = answer.safeParse(this.#read(method, values));
    return read.success ? { ok: true, value: read.data } : { ok: false, why: `${method} answered in another form than expected` };
  };

  writes: ServerApi['writes'] = async (method, values) => {
    if (this.isDown) throw new ServerDown('it is away');
    this.calls += 1;
    const { trouble } = this;
    this.trouble = undefined;
    if (trouble === 'refuses') return { ok: false, why: 'No such system' };
    const sids = (values['sids'] ?? [values['sid']]) as number[];
    const action = { id: this.calls + 100, earliest: String(values['earliestOccurrence']), method, sids };
    if (trouble === 'slow') this.coming.push(action);
    else if (trouble !== 'before') this.actions.push(action);
    if (trouble !== undefined) throw new ServerDown('the answer was lost');
    return { ok: true, value: method === 'system.scheduleApplyErrata' ? [action.id] : action.id };
  };

  /** A server refuses what it is asked about an action that it does not have, in the language of the account. */
  #whyNot({ actionId }: Values): string | undefined {
    return actionId === undefined || this.actions.some(({ id }) => id === actionId)
      ? undefined
      : `Aktion ${String(actionId)} nicht gefunden`;
  }

  /** All that is scheduled ends in this way: empty for done, else why it has failed. */
  end(sid: number, why = ''): void {
    for (const { id, sids } of this.actions) if (sids.includes(sid)) this.outcomes.set(`${id} ${sid}`, why);
  }

  #read(method: string, { actionId }: Values) {
    const of = (wanted: (why: string | undefined) => boolean) =>
      this.actions
        .filter(({ id }) => id === actionId)
        .flatMap(({ id, sids }) => sids.filter((sid) => wanted(this.outcomes.get(`${id} ${sid}`))).map((sid) => [id, sid] as const))
        .map(([id, sid]) => ({ server_id: sid, message: this.outcomes.get(`${id} ${sid}`) ?? '' }));
    const inProgress = ({ id, sids }: ServerAction) => sids.filter((sid) => !this.outcomes.has(`${id} ${sid}`)).length;
    // The server itself schedules as well, and then names nobody.
    const own = { id: 1, earliest: 'soon', type: 'Show differences', completedSystems: 0, failedSystems: 0 };
    const listed = this.actions.map((one) => ({ ...one, scheduler: 'muster', completedSystems: 0, failedSystems: 0 }));
    const answers: Record<string, () => unknown> = {
      'api.getVersion': () => '29',
      'system.getMinionIdMap': () => Object.fromEntries(this.minions),
      'errata.getDetails': () => ({ id: 7 }),
      'schedule.listAllActions': () => [own, { ...own, id: 2, earliest: null }, ...listed],
      'schedule.listInProgressActions': () => listed.filter((one) => inProgress(one) > 0),
      'schedule.listInProgressSystems': () => of((why) => why === undefined),
      'schedule.listCompletedSystems': () => of((why) => why === ''),
      'schedule.listFailedSystems': () => of((why) => why !== undefined && why !== ''),
    };
    return answers[method]?.();
  }
}

/** Muster, as far as a keeper of actions sees it: what it gives, and the last report of each action. */
export class GivingMuster implements ActionsOfMuster {
  readonly given = new Map<ActionNumber, Taken>();
  readonly reports = new Map<ActionNumber, Report>();
  readonly seqs: number[] = [];
  isAway = false;
  /** Why it refuses every report. */
  refusal: Error | undefined;

  /** Why it refuses to give an action. */
  readonly refuses = new Map<ActionNumber, Error>();

  take: ActionsOfMuster['take'] = async (number) => {
    const refusal = this.refuses.get(number);
    if (refusal) throw refusal;
    return this.given.get(number) ?? { is: 'gone', why: 'nothing is ordered under this number here' };
  };

  report: ActionsOfMuster['report'] = async (number, report) => {
    this.seqs.push(report.seq);
    if (this.isAway) throw new Unreachable('Muster is away');
    if (this.refusal) throw this.refusal;
    this.reports.set(number, report);
  };
}

/** A keeper of actions on a server, with a clock that a test sets. */
export class ActionSite {
  readonly server = new SchedulingServer();
  readonly muster = new GivingMuster();
  readonly lines: string[] = [];
  keeper: ActionKeeper;
  nowMs = Date.UTC(2031, 4, 1);
  allows: readonly Doing[] = ['highstate', 'packages', 'errata', 'reboot', 'command'];
  #home: string;
  #here: readonly string[] = [];

  constructor(home: string) {
    this.#home = home;
    this.keeper = this.restarted();
  }

  /** The keeper of an agent that has started again, with what the one before had written. */
  restarted(): ActionKeeper {
    const world = { now: () => this.nowMs as EpochMs, after: () => () => undefined, random: () => 0.5 };
    const { server } = this;
    this.keeper = new ActionKeeper({
      ...{
        folder: folderAt(this.#home),
        server,
        login: () => 'muster',
        allows: this.allows,
        world,
        say: (line) => void this.lines.push(line),
      },
    });
    return this.keeper;
  }

  /** These minions are here; the server has them under the numbers 1, 2 and so on. */
  has(...minions: readonly string[]): void {
    this.#here = minions;
    for (const [n, minion] of minions.entries()) this.server.minions.set(minion, n + 1);
  }

  /** Muster orders something on client systems, by their minions. */
  ordered(number: ActionNumber, what: Wanted, ...minions: readonly string[]): void {
    this.muster.given.set(number, { is: 'taken', what, until: (this.nowMs + hourMs) as EpochMs, systems: minions.map(fpOf) });
    this.keeper.desired([{ number }]);
  }

  /** Time passes, and the keeper looks at everything that is due. */
  async pass(ms = 0): Promise<void> {
    this.nowMs += ms;
    const here = { minions: () => this.#here, find: (minion: string) => ({ fp: fpOf(minion), appliedAt: undefined }) };
    await this.keeper.pass(here, this.muster);
  }
}
