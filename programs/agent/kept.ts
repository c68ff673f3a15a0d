import type { ProcessTable, RunningService } from '../../events/reported/process.ts';
import type { DesiredAnswer } from '../../lib/nodes/desired/desired.ts';
import type { Around, ProcessKeeper } from './processes/keeper.ts';
import type { ServiceKeeper } from './services/keeper.ts';
import type { SupervisorKeeper } from './supervisor/keeper.ts';

/**
 * What keeps the services of a host, its supervisor, and who says what there is to say of them: the keeper of its
 * processes, where it has one.
 */
export type ServicesKept = {
  readonly keeper: ServiceKeeper;
  readonly supervisor?: SupervisorKeeper | undefined;
  readonly words: ProcessKeeper;
};

/** What the agent keeps running on its host beside its line to Muster, as that line sees it. */
export class Kept {
  readonly #processes: ProcessKeeper | undefined;
  readonly #services: ServiceKeeper | undefined;
  readonly #supervisor: SupervisorKeeper | undefined;
  readonly #words: ProcessKeeper | undefined;
  #owesTable = false;

  /** Processes of a storage cluster, services, both or neither. */
  constructor({ processes, services }: { readonly processes?: ProcessKeeper | undefined; readonly services?: ServicesKept | undefined }) {
    this.#processes = processes;
    this.#services = services?.keeper;
    this.#supervisor = services?.supervisor;
    this.#words = processes ?? services?.words;
  }

  /**
   * Whether Muster has never said what is to run, as far as the folder knows: the agent must ask, whatever revision its
   * ledger holds.
   */
  get isNew(): boolean {
    return (this.#processes?.isNew ?? false) || (this.#services?.isNew ?? false);
  }

  /**
   * What runs here: of an agent that has just started, whatever of its record still lives. Undefined on a host on which
   * nothing is kept.
   */
  table(): ProcessTable | undefined {
    return this.#isNeeded ? this.#words?.table(this.#services?.running({ seen: true })) : undefined;
  }

  /** The hash of what is on record. */
  hash(): string | undefined {
    return this.#isNeeded ? this.#words?.hash(this.#running) : undefined;
  }

  /**
   * Muster has acknowledged this boot. Words that wait are older than the table of its node-up and come after it, as if
   * they were news: with the next answer another table goes after them.
   */
  acknowledged(): void {
    this.#owesTable = this.#words?.hasWords ?? false;
    this.#words?.heard(false, this.#running);
  }

  /** Muster has answered a heartbeat; `resync`: it wants to know what runs here. */
  heard(resync: boolean): void {
    this.#words?.heard(resync || this.#owesTable, this.#running);
    this.#owesTable = false;
  }

  /**
   * Takes what Muster wants to run here. One that knows nothing of processes says nothing of them: what runs goes on.
   */
  desired(rev: number, { processes, services, supervisor }: Pick<DesiredAnswer, 'processes' | 'services' | 'supervisor'>): void {
    if (processes) this.#processes?.desired(rev, processes);
    this.#services?.desired(rev, services);
    this.#supervisor?.desired(supervisor);
  }

  /** Keeps all of it until it is stopped; whatever runs goes on. */
  start(around: Around): { stop(): void } {
    const words = this.#words?.start(around);
    const services = this.#services?.start(around);
    return {
      stop: () => {
        this.#supervisor?.stop();
        services?.stop();
        words?.stop();
      },
    };
  }

  get #isNeeded(): boolean {
    return this.#processes !== undefined || (this.#services?.isNeeded ?? false);
  }

  get #running(): RunningService[] {
    return this.#services?.running() ?? [];
  }
}
