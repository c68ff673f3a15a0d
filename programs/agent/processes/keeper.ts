import type { ProcessTable, RunningService } from '../../../events/reported/process.ts';
import { type ApiClient, Unreachable } from '../../../lib/api/client.ts';
import { problemTypeOf } from '../../../lib/api/problem.ts';
import type { NodeId } from '../../../lib/core/ids.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import { nodeRoutes } from '../../../lib/node-contract.ts';
import type { DesiredProcess } from '../../../lib/nodes/desired/desired.ts';
import { type Program, RecordedReactor } from '../supervised/recorded.ts';
import { inputLine, type Trace } from '../traces.ts';
import type { Lives } from './born.ts';
import type { ConfigurationFiles } from './configuration-files.ts';
import { type Action, decide } from './decide.ts';
import { readHeldDesired, readTable, writeHeldDesired, writeTable } from './disk.ts';
import type { Input, LifeReport } from './hear.ts';
import type { Runner } from './runner.ts';
import { reportedTable } from './shown.ts';
import { firstProcesses, type Held, type HostReport, type ProcessesState, tableOf } from './state.ts';
import type { UnnumberedReport } from './words.ts';

/** The options of a keeper of processes. */
export type KeeperOptions = {
  readonly folder: Folder;
  readonly runner: Runner;
  readonly files: ConfigurationFiles;
  readonly lives: Lives;
  /** A name for the reports of this folder, for as long as it exists: 8 to 40 random letters and digits. */
  newName(): string;
  say(line: string): void;
  readonly trace?: Trace | undefined;
  /** Whether the agent may now restart without Muster what ends; absent: never. */
  readonly mayGoOn?: (() => boolean) | undefined;
  readonly world: World;
};

/** The parts of the agent that the keeper uses. `member` is undefined while Muster has not acknowledged this boot. */
export type AgentView = { readonly api: ApiClient; member(): { readonly node: NodeId; readonly incarnation: number } | undefined };

/** The outcome of a launcher's report: recorded, or why not; `again` when the launcher may try again. */
export type Answer = { readonly ok: true } | { readonly ok: false; readonly why: string; readonly again?: true };

/** Whether an input is about reports, and not about what runs. */
const isOfReports = ({ type }: Input): boolean => ['said', 'heard', 'reported', 'not-reported'].includes(type);

const isSame = (a: ProcessesState, b: ProcessesState): boolean =>
  a.held === b.held && a.reports.out === b.reports.out && a.desired === b.desired;

/**
 * Keeps the processes of this host as Muster wants them. It works beside the agent's line to Muster, and neither waits
 * for the other.
 */
export class ProcessKeeper {
  readonly #options: KeeperOptions;
  readonly #reactor: RecordedReactor<ProcessesState, Input, Action>;
  /** Reports fail until the keeper is started. */
  #around: AgentView = { api: () => Promise.reject(new Unreachable('the agent has not started')), member: () => undefined };

  /**
   * A keeper of the processes that its folder knows; it does nothing until it is started. Throws {@link Unusable} for a
   * folder that is damaged.
   */
  constructor(options: KeeperOptions) {
    const { folder, world, newName } = options;
    this.#options = options;
    const table = readTable(folder) ?? { version: 1, name: newName(), next: 1, held: [], out: [] };
    const program: Program<ProcessesState, Input, Action> = {
      first: firstProcesses(table, readHeldDesired(folder), world.now()),
      decide: (state, input, now) => {
        options.trace?.(isOfReports(input) ? 'reports' : 'processes', () => inputLine(input));
        return decide({ ...state, mayGoOn: options.mayGoOn?.() ?? false }, input, now);
      },
      tick: { type: 'tick' },
      carry: (action) => this.#carry(action),
      isSame,
      write: (next, before) => this.#write(next, before),
    };
    this.#reactor = new RecordedReactor(program, world);
    options.runner.onEnd(() => this.#reactor.take({ type: 'ended' }));
  }

  /** Whether the folder has no record of what Muster wants to run. */
  get isNew(): boolean {
    return this.#reactor.state().desired === undefined;
  }

  /** Whether there are reports that Muster has not taken yet. */
  get hasWords(): boolean {
    return this.#reactor.state().reports.out.length > 0;
  }

  /** When the oldest report was made that Muster has not taken; undefined while it has taken all. */
  get untoldFrom(): EpochMs | undefined {
    return this.#reactor.state().reports.out[0]?.at;
  }

  /** What runs here, with these services: the part of the record that still runs. */
  table(services?: readonly RunningService[]): ProcessTable {
    const { lives } = this.#options;
    return reportedTable(
      [...this.#reactor.state().held.values()].filter(({ life }) => life && lives.isOn(life)),
      services,
    );
  }

  /** The hash of the record, with these services. */
  hash(services?: readonly RunningService[]): string {
    return reportedTable(this.#reactor.state().held.values(), services).hash;
  }

  /** How many of its processes run, of how many that should. */
  get running(): { readonly online: number; readonly wanted: number } {
    const { held, desired } = this.#reactor.state();
    const wanted = desired?.processes.filter(({ goal }) => goal === 'run') ?? [];
    return { online: wanted.filter(({ process }) => held.get(process)?.is === 'online').length, wanted: wanted.length };
  }

  /** Takes reports about services, in order; they are on disk once {@link ProcessKeeper.written} returns. */
  say(reports: readonly UnnumberedReport[]): void {
    this.#reactor.take({ type: 'said', reports });
  }

  /** Writes whatever is not on disk yet. */
  written(): void {
    this.#reactor.write();
  }

  /** Takes the processes that Muster wants here; they are on disk when this returns. */
  desired(rev: number, processes: readonly DesiredProcess[]): void {
    this.#reactor.takeAndWrite({ type: 'desired', rev, processes });
  }

  /** Muster has answered; `resync`: it asks for the table of what runs here, with these services. */
  heard(resync: boolean, services: readonly RunningService[] = []): void {
    this.#reactor.take({ type: 'heard', resync, services });
  }

  /** Takes a launcher's report; it is on disk when the answer is `ok`. */
  report(report: LifeReport): Answer {
    const { held, desired } = this.#reactor.state();
    const wanted = desired?.processes.find(({ process }) => process === report.process);
    if (!desired) return { ok: false, why: 'the agent does not know its processes yet: Muster has not named them; try again', again: true };
    if (!wanted) return { ok: false, why: `${report.process} is not a process of this host` };
    if (wanted.goal !== 'watch')
      return { ok: false, why: `Muster starts and stops ${report.process}, and takes no reports of it from a launcher` };
    if (held.get(report.process)?.busy) return { ok: false, why: `the agent is busy with ${report.process}; try again`, again: true };
    this.#reactor.takeAndWrite({ type: 'told', ...report });
    return { ok: true };
  }

  /** Keeps the processes until it is stopped; what runs then continues to run. */
  start(agent: AgentView): { stop(): void } {
    this.#around = agent;
    return this.#reactor.start();
  }

  #write(next: ProcessesState, before: ProcessesState): void {
    const { folder } = this.#options;
    if (next.desired && next.desired !== before.desired) writeHeldDesired(folder, next.desired);
    if (next.held !== before.held || next.reports.out !== before.reports.out) writeTable(folder, JSON.stringify(tableOf(next)));
  }

  async #carry(action: Action): Promise<Input | undefined> {
    const { runner, say } = this.#options;
    switch (action.do) {
      case 'start':
        return this.#start(action.process);
      case 'stop': {
        const ran = await runner.stop(action.held);
        return { type: 'stop-told', process: action.held.process, ...(!ran.ok && { why: ran.why }) };
      }
      case 'kill': {
        const ran = await runner.kill(action.held);
        return { type: 'killed', process: action.held.process, ...(!ran.ok && { why: ran.why }) };
      }
      case 'forget':
        this.#forget(action.held);
        return { type: 'forgotten', process: action.held.process };
      case 'look':
        return { type: 'looked', held: action.held, look: await runner.look(action.held) };
      case 'report':
        return this.#report(action.reports);
      case 'say':
        say(action.line);
        return undefined;
    }
  }

  async #start(process: DesiredProcess): Promise<Input> {
    const { runner, files, say } = this.#options;
    const fid = process.process;
    try {
      await files.write(process);
    } catch (error) {
      return { type: 'not-begun', process: fid, why: inWords(error) };
    }
    const began = await runner.start(process);
    if (!began.ok) return { type: 'not-begun', process: fid, why: began.why };
    say(`started ${process.prefix} ${fid}`);
    return { type: 'begun', process: fid, ...(began.life && { life: began.life }) };
  }

  /** Removes the configuration of a process. A failure is harmless: nothing starts by that file any longer. */
  #forget(held: Held): void {
    try {
      this.#options.files.remove(held);
    } catch (error) {
      this.#options.say(`could not remove the configuration of ${held.process}: ${inWords(error)}`);
    }
  }

  async #report(reports: readonly HostReport[]): Promise<Input> {
    const { name } = this.#reactor.state().reports;
    const { random } = this.#options.world;
    const member = this.#around.member();
    const failed = (why: string, forGood = false) => ({ type: 'not-reported', reports, why, forGood, random: random() }) as const;
    if (!member) return failed('this boot is not acknowledged');
    const { node: id, incarnation } = member;
    const body = reports.map(({ n, ...report }) => ({ id: `${name}-${n}`, version: 1 as const, incarnation, seq: n, ...report }));
    try {
      const answer = await this.#around.api(nodeRoutes.events, { params: { id }, body });
      if (answer.ok) return { type: 'reported', reports };
      return failed(answer.problem.detail, refusedForGood(answer.status, problemTypeOf(answer.problem)));
    } catch (error) {
      if (error instanceof Unreachable) return failed(error.message);
      throw error;
    }
  }
}

const inWords = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Whether Muster will never take a report: it cannot read it, or does not take it from this node. */
const refusedForGood = (status: number, problem: string): boolean =>
  status === 400 || status === 422 || problem === 'not-owner' || problem === 'unknown-type';
