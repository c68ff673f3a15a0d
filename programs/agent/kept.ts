import type { ProcessTable, RunningService } from '../../events/reported/process.ts';
import type { DesiredAnswer } from '../../lib/nodes/desired/desired.ts';
import type { AgentView, ProcessKeeper } from './processes/keeper.ts';
import type { ServiceKeeper } from './services/keeper.ts';
import type { SupervisorKeeper } from './supervisor/keeper.ts';

/**
 * The keeper of a host's services, its supervisor, and the keeper that reports about them: the keeper of its processes,
 * where it has one.
 */
export type ServiceKeepers = {
  readonly keeper: ServiceKeeper;
  readonly supervisor?: SupervisorKeeper | undefined;
  readonly reporter: ProcessKeeper;
};

/** The processes and services that the agent keeps running on its host, as its line to Muster uses them. */
export class Workloads {
  readonly #processes: ProcessKeeper | undefined;
  readonly #services: ServiceKeeper | undefined;
  readonly #supervisor: SupervisorKeeper | undefined;
  readonly #words: ProcessKeeper | undefined;
  #owesTable = false;

  /** Processes of a storage cluster, services, both or neither. */
  constructor({ processes, services }: { readonly processes?: ProcessKeeper | undefined; readonly services?: ServiceKeepers | undefined }) {
    this.#processes = processes;
    this.#services = services?.keeper;
    this.#supervisor = services?.supervisor;
    this.#words = processes ?? services?.reporter;
  }

  /**
   * Whether the folder has no record of what Muster wants to run: the agent must then read it, whatever revision its
   * ledger holds.
   */
  get isNew(): boolean {
    return (this.#processes?.isNew ?? false) || (this.#services?.isNew ?? false);
  }

  /**
   * What runs here; just after the agent's start, the part of its record that still runs. Undefined on a host that
   * keeps no process and no service.
   */
  table(): ProcessTable | undefined {
    return this.#isNeeded ? this.#words?.table(this.#services?.running({ seen: true })) : undefined;
  }

  /** The hash of the record of what runs here; undefined on a host that keeps no process and no service. */
  hash(): string | undefined {
    return this.#isNeeded ? this.#words?.hash(this.#running) : undefined;
  }

  /**
   * Muster has acknowledged this boot. Waiting reports are older than the table of its node-up, but arrive after it as
   * if they were news. Therefore another table follows them with the next answer.
   */
  acknowledged(): void {
    this.#owesTable = this.#words?.hasWords ?? false;
    this.#words?.heard(false, this.#running);
  }

  /** Muster has answered a heartbeat; `resync`: it asks for the table of what runs here. */
  heard(resync: boolean): void {
    this.#words?.heard(resync || this.#owesTable, this.#running);
    this.#owesTable = false;
  }

  /** Takes what Muster wants to run here. An answer without processes leaves the running processes as they are. */
  desired(rev: number, { processes, services, supervisor }: Pick<DesiredAnswer, 'processes' | 'services' | 'supervisor'>): void {
    if (processes) this.#processes?.desired(rev, processes);
    this.#services?.desired(rev, services);
    this.#supervisor?.desired(supervisor);
  }

  /** Keeps processes and services until it is stopped; whatever runs then continues to run. */
  start(agent: AgentView): { stop(): void } {
    const reporting = this.#words?.start(agent);
    const services = this.#services?.start(agent);
    return {
      stop: () => {
        this.#supervisor?.stop();
        services?.stop();
        reporting?.stop();
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
