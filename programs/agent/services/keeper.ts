import type { RunningService } from '../../../events/reported/process.ts';
import type { ServiceName } from '../../../lib/core/ids.ts';
import type { EpochMs } from '../../../lib/core/time.ts';
import type { Folder } from '../../../lib/machine/folder.ts';
import type { World } from '../../../lib/machine/reactor.ts';
import type { DesiredService } from '../../../lib/nodes/desired/desired.ts';
import type { Lives } from '../processes/born.ts';
import type { Answer, Around, ProcessKeeper } from '../processes/keeper.ts';
import { type Program, RecordedReactor } from '../supervised/recorded.ts';
import { shownInput, type Trace } from '../traces.ts';
import type { Allowed } from './allowed.ts';
import { type Action, decide } from './decide.ts';
import { readHeldDesired, readTable, writeHeldDesired, writeTable } from './disk.ts';
import { Finder, type Found } from './find.ts';
import type { Input, Told } from './hear.ts';
import { type Answered, askMuster } from './questions.ts';
import type { Runner } from './runner.ts';
import type { Question } from './said.ts';
import { firstServices, type Held, type ServicesState, tableText } from './state.ts';

/** What services are kept with. */
export type KeeperOptions = {
  readonly folder: Folder;
  readonly runner: Runner;
  readonly lives: Lives;
  /** Which types of services this host runs. */
  readonly allowed: Allowed;
  /** Who tells Muster, in the order in which things were said, of processes and services alike. */
  readonly words: Pick<ProcessKeeper, 'say' | 'written' | 'untoldFrom'>;
  say(line: string): void;
  readonly trace?: Trace | undefined;
  /** Whether what ends may be started again without Muster now; absent: never. */
  readonly mayGoOn?: (() => boolean) | undefined;
  readonly world: World;
};

/** Keeps the services of this host as Muster wants them, beside the agent's line to it. */
export class ServiceKeeper {
  readonly #options: KeeperOptions;
  readonly #reactor: RecordedReactor<ServicesState, Input, Action>;
  /** The table as it stands on disk: most checks change nothing that belongs there. */
  #table: string;
  /** Who looks services up; nobody before it is started. */
  #finder: Finder | undefined;
  /** Who asks Muster for them; nobody before it is started. */
  #asks: ((question: Question) => Promise<Answered>) | undefined;

  /**
   * A keeper of the services that its folder knows; it does nothing until it is started. Throws {@link Unusable} for a
   * folder that is damaged.
   */
  constructor(options: KeeperOptions) {
    const { folder, allowed, world, words } = options;
    this.#options = options;
    const first = firstServices({ table: readTable(folder), desired: readHeldDesired(folder) }, allowed, world.now());
    this.#table = tableText(first);
    const program: Program<ServicesState, Input, Action> = {
      first,
      decide: (state, input, now) => {
        options.trace?.('services', () => shownInput(input));
        return decide({ ...state, mayGoOn: options.mayGoOn?.() ?? false, untoldFrom: words.untoldFrom }, input, now);
      },
      tick: { type: 'tick' },
      // What was said of a change is written before the change: an agent that is killed in between says it twice, and
      // never not at all.
      prepare: (action) => {
        if (action.do === 'tell') words.say(action.words);
      },
      carry: (action) => this.#carry(action),
      isSame,
      write: (next, before) => this.#write(next, before),
    };
    this.#reactor = new RecordedReactor(program, world);
    options.runner.onEnd(() => this.#reactor.take({ type: 'ended' }));
  }

  /** Whether Muster has never been asked what is to run, as far as its folder knows. */
  get isNew(): boolean {
    return this.#reactor.state().desired === undefined;
  }

  /** Whether it has something to keep: most hosts have no services. */
  get isNeeded(): boolean {
    const { held, desired } = this.#reactor.state();
    return held.size > 0 || (desired?.services.length ?? 0) > 0;
  }

  /** What runs here; with `seen`, of an agent that has just started, whatever of its record still lives. */
  running({ seen = false } = {}): RunningService[] {
    const { lives } = this.#options;
    return [...this.#reactor.state().held.values()].flatMap(({ service, instance, is, life }): RunningService[] =>
      is === 'idle' || !life || (seen && !lives.isOn(life)) ? [] : [{ service, instance, ...life, state: is }],
    );
  }

  /** Those that should run here, were begun, and have ended. */
  absent(): { readonly service: Held['service']; readonly since: EpochMs }[] {
    const { held, desired } = this.#reactor.state();
    return [...held.values()].flatMap(({ service, is, acted, busy, since }) => {
      const wanted = desired?.services.find((one) => one.service === service);
      return wanted?.goal === 'run' && is === 'idle' && !busy && acted === wanted.instance ? [{ service, since }] : [];
    });
  }

  /**
   * Takes what Muster wants of the services here; it is on disk when this returns. A Muster that says nothing of them
   * knows of none, or not of them at all.
   */
  desired(rev: number, services: readonly DesiredService[] | undefined): void {
    if (!services && !this.isNew) return;
    this.#reactor.takeAndWrite({ type: 'desired', rev, services: services ?? [] });
  }

  /** Takes what a service says of itself; it is on disk when this says so. */
  told(told: Told): Answer {
    const held = this.#reactor.state().held.get(told.service);
    if (!held) return { ok: false, why: `${told.service} is no service of this host` };
    if (held.instance !== told.instance || held.is === 'idle')
      return { ok: false, why: `instance ${told.instance} of ${told.service} is not the one that runs here` };
    // It speaks before the agent has seen it begin.
    if (held.busy === 'start') return { ok: false, why: `${told.service} is being started; say it again`, again: true };
    if (held.is === 'stopping' && told.report.is === 'ready') return { ok: false, why: `${told.service} is to stop` };
    this.#reactor.takeAndWrite({ type: 'told', ...told });
    return { ok: true };
  }

  /** Where in its zone services of this name are, as Muster says. */
  async find(name: ServiceName): Promise<Found> {
    return this.#finder?.find(name) ?? { ok: false, why: 'the agent has not begun; ask again', again: true };
  }

  /** What Muster answers a service of this host. */
  async ask(question: Question): Promise<Answered> {
    return this.#asks?.(question) ?? { ok: false, why: 'the agent has not begun; ask again', again: true };
  }

  /** Keeps them until it is stopped; whatever runs goes on. */
  start({ api, member }: Around): { stop(): void } {
    const node = () => member()?.node;
    this.#finder = new Finder({ api, node, now: this.#options.world.now });
    this.#asks = (question) => askMuster({ api, node }, question);
    return this.#reactor.start();
  }

  #write(next: ServicesState, before: ServicesState): void {
    const { folder, words } = this.#options;
    words.written();
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

  /** A file that cannot be removed configures nothing that is still started. */
  #forgotten(held: Held): Input {
    try {
      this.#options.runner.forget(held);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#options.say(`the configuration of service ${held.service} could not be removed: ${why}`);
    }
    return { type: 'forgotten', service: held.service };
  }
}

const isSame = (a: ServicesState, b: ServicesState): boolean => a.held === b.held && a.desired === b.desired;
