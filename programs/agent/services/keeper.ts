import type { RunningService } from '../../../events/reported/process.ts';
import type { ServiceName } from '../../../lib/core/ids.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';
import type { Lives } from '../processes/born.ts';
import type { AgentView, Answer, ProcessKeeper } from '../processes/keeper.ts';
import { type Program, RecordedReactor } from '../supervised/recorded.ts';
import { inputLine, type Trace } from '../traces.ts';
import type { Allowed } from './allowed.ts';
import { type Action, decide } from './decide.ts';
import { readHeldDesired, readTable, writeHeldDesired, writeTable } from './disk.ts';
import { Finder, type Found } from './find.ts';
import type { Input, InstanceReport } from './hear.ts';
import { type Answered, askMuster } from './questions.ts';
import type { Runner } from './runner.ts';
import type { Question } from './said.ts';
import { firstServices, type Held, type ServicesState, tableText } from './state.ts';

/** The options of a keeper of services. */
export type KeeperOptions = {
  readonly folder: Folder;
  readonly runner: Runner;
  readonly lives: Lives;
  /** Which types of services this host runs. */
  readonly allowed: Allowed;
  /** Sends reports of processes and services to Muster, in the order in which they were made. */
  readonly reporter: Pick<ProcessKeeper, 'say' | 'written' | 'untoldFrom'>;
  say(line: string): void;
  readonly trace?: Trace | undefined;
  /** Whether the agent may now restart without Muster what ends; absent: never. */
  readonly mayGoOn?: (() => boolean) | undefined;
  readonly world: World;
};

/** Keeps the services of this host as Muster wants them, beside the agent's line to it. */
export class ServiceKeeper {
  readonly #options: KeeperOptions;
  readonly #reactor: RecordedReactor<ServicesState, Input, Action>;
  /** The table as it is on disk: most checks change nothing that belongs there. */
  #table: string;
  /** Looks services up; undefined before the keeper is started. */
  #finder: Finder | undefined;
  /** Asks Muster questions of services; undefined before the keeper is started. */
  #asks: ((question: Question) => Promise<Answered>) | undefined;

  /**
   * A keeper of the services that its folder knows; it does nothing until it is started. Throws {@link Unusable} for a
   * folder that is damaged.
   */
  constructor(options: KeeperOptions) {
    const { folder, allowed, world, reporter } = options;
    this.#options = options;
    const first = firstServices({ table: readTable(folder), desired: readHeldDesired(folder) }, allowed, world.now());
    this.#table = tableText(first);
    const program: Program<ServicesState, Input, Action> = {
      first,
      decide: (state, input, now) => {
        options.trace?.('services', () => inputLine(input));
        return decide({ ...state, mayGoOn: options.mayGoOn?.() ?? false, untoldFrom: reporter.untoldFrom }, input, now);
      },
      tick: { type: 'tick' },
      // The report of a change is written before the change: an agent that is killed in between reports it twice, and
      // always at least once.
      prepare: (action) => {
        if (action.do === 'tell') reporter.say(action.reports);
      },
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

  /** Whether it has something to keep: most hosts have no services. */
  get isNeeded(): boolean {
    const { held, desired } = this.#reactor.state();
    return held.size > 0 || (desired?.services.length ?? 0) > 0;
  }

  /** The services that run here; with `seen`, only the part of the record that still runs. */
  running({ seen = false } = {}): RunningService[] {
    const { lives } = this.#options;
    return [...this.#reactor.state().held.values()].flatMap(({ service, instance, is, life }): RunningService[] =>
      is === 'idle' || !life || (seen && !lives.isOn(life)) ? [] : [{ service, instance, ...life, state: is }],
    );
  }

  /** Services that should run here, were started, and have ended. */
  absent(): { readonly service: Held['service']; readonly since: EpochMs }[] {
    const { held, desired } = this.#reactor.state();
    return [...held.values()].flatMap(({ service, is, acted, busy, since }) => {
      const wanted = desired?.services.find((one) => one.service === service);
      return wanted?.goal === 'run' && is === 'idle' && !busy && acted === wanted.instance ? [{ service, since }] : [];
    });
  }

  /**
   * Takes the services that Muster wants here; they are on disk when this returns. An answer without them comes from a
   * Muster that wants none, or does not know services.
   */
  desired(rev: number, services: readonly DesiredService[] | undefined): void {
    if (!services && !this.isNew) return;
    this.#reactor.takeAndWrite({ type: 'desired', rev, services: services ?? [] });
  }

  /** Takes a service's report about itself; it is on disk when the answer is `ok`. */
  report(told: InstanceReport): Answer {
    const held = this.#reactor.state().held.get(told.service);
    if (!held) return { ok: false, why: `${told.service} is not a service of this host` };
    if (held.instance !== told.instance || held.is === 'idle')
      return { ok: false, why: `instance ${told.instance} of ${told.service} is not the one that runs here` };
    // The service reports before the agent has seen its start.
    if (held.busy === 'start') return { ok: false, why: `${told.service} is still being started; try again`, again: true };
    if (held.is === 'stopping' && told.report.is === 'ready') return { ok: false, why: `${told.service} is stopping` };
    this.#reactor.takeAndWrite({ type: 'told', ...told });
    return { ok: true };
  }

  /** Where services of this name are in the zone of this node, by Muster. */
  async find(name: ServiceName): Promise<Found> {
    return this.#finder?.find(name) ?? { ok: false, why: 'the agent has not started yet; try again', again: true };
  }

  /** Muster's answer to a question of a service of this host. */
  async ask(question: Question): Promise<Answered> {
    return this.#asks?.(question) ?? { ok: false, why: 'the agent has not started yet; try again', again: true };
  }

  /** Keeps the services until it is stopped; what runs then continues to run. */
  start({ api, member }: AgentView): { stop(): void } {
    const node = () => member()?.node;
    this.#finder = new Finder({ api, node, now: this.#options.world.now });
    this.#asks = (question) => askMuster({ api, node }, question);
    return this.#reactor.start();
  }

  #write(next: ServicesState, before: ServicesState): void {
    const { folder, reporter } = this.#options;
    reporter.written();
    if (next.desired && next.desired !== before.desired) writeHeldDesired(folder, next.desired);
    const table = tableText(next);
    if (table !== this.#table) writeTable(folder, table);
    this.#table = table;
  }

  async #carry(action: Action): Promise<Input | undefined> {
    const { runner, say } = this.#options;
    switch (action.do) {
      case 'tell':
        return undefined;
      case 'start':
        return this.#start(action.service);
      case 'signal': {
        const { held, signal } = action;
        const ran = await runner.signal(held, signal);
        return { type: 'signalled', service: held.service, signal, ...(!ran.ok && { why: ran.why }) };
      }
      case 'forget':
        return this.#forgotten(action.held);
      case 'look':
        return { type: 'looked', held: action.held, look: await runner.look(action.held) };
      case 'command': {
        const { held, service, run } = action;
        return { type: 'answered', service: held.service, run, instance: held.instance, result: await runner.command(held, service, run) };
      }
      case 'say':
        say(action.line);
        return undefined;
    }
  }

  async #start(wanted: DesiredService): Promise<Input> {
    const { runner, say } = this.#options;
    const { service, instance } = wanted;
    const began = await runner.start(wanted);
    if (!began.ok) return { type: 'not-begun', service, why: began.why, ...(began.refused && { refused: true }) };
    say(`started service ${service} as instance ${instance}`);
    return { type: 'begun', service, ...(began.life && { life: began.life }) };
  }

  /** Removes the files of a service. A failure is harmless: nothing starts by them any longer. */
  #forgotten(held: Held): Input {
    try {
      this.#options.runner.forget(held);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#options.say(`could not remove the configuration of service ${held.service}: ${why}`);
    }
    return { type: 'forgotten', service: held.service };
  }
}

const isSame = (a: ServicesState, b: ServicesState): boolean => a.held === b.held && a.desired === b.desired;
