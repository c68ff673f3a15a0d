import { createHash } from 'node:crypto';
import type { ProcessTable } from '../../events/reported/process.ts';
import type { Fid } from '../../lib/core/fid.ts';
import type { DesiredAnswer, DesiredProcess } from '../../lib/nodes/desired/desired.ts';
import type { Agent } from '../../tools/support/players.ts';

/** The processes of a host, as somebody plays them: what is wanted of each is done as soon as it is asked for. */
export class Obeying {
  readonly #agent: Agent;
  readonly #acted = new Map<string, number>();
  readonly #running = new Map<string, number>();
  #seq = 0;
  #pid = 100;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  /** What its processes do, and with which pids. */
  get running(): ReadonlyMap<string, number> {
    return this.#running;
  }

  /** The table of its host: what runs, and a hash of that. */
  table(): ProcessTable {
    const processes = [...this.#running].map(([process, pid]) => ({ process: process as Fid, pid, state: 'online' as const }));
    return { hash: createHash('sha256').update(JSON.stringify(processes)).digest('hex').slice(0, 16), processes };
  }

  /** Tells its table, as it was asked to. */
  tells = (): Promise<void> => this.says('node.table', this.table());

  /** Its host loses its power: nothing of what ran is there any more, and nothing of what was done is known. */
  loses(): void {
    this.#acted.clear();
    this.#running.clear();
  }

  /**
   * Asks what is wanted, and does it: starts what is to run, once for each time it is wanted, and stops what is to
   * stop. `except` will not stop.
   */
  async obey({ except = [] }: { readonly except?: readonly string[] } = {}): Promise<void> {
    const { processes = [] } = (await this.#agent.desired()).body as DesiredAnswer;
    for (const { process, goal, start } of processes) {
      if (goal === 'stop' && this.#running.has(process) && !except.includes(process)) await this.#stops(process);
      if (goal === 'stop') this.#acted.delete(process);
      if (this.#isToStart({ process, goal, start })) await this.starts(process, start);
    }
  }

  #isToStart({ process, goal, start }: Pick<DesiredProcess, 'process' | 'goal' | 'start'>): boolean {
    if (goal === 'stop' || this.#running.has(process)) return false;
    const acted = this.#acted.get(process) ?? 0;
    return goal === 'run' ? start > acted || !this.#acted.has(process) : start > acted;
  }

  /** A process starts, by whomever. */
  async starts(process: string, start = this.#acted.get(process) ?? 0): Promise<void> {
    const pid = this.#pid++;
    this.#acted.set(process, start);
    this.#running.set(process, pid);
    await this.says('process.starting', { process, pid });
    await this.says('process.started', { process, pid });
  }

  /** A process ends by itself. */
  async ends(process: string): Promise<void> {
    const pid = this.#running.get(process)!;
    this.#running.delete(process);
    await this.says('process.stopped', { process, pid, exit: 0 });
  }

  async #stops(process: string): Promise<void> {
    await this.says('process.stopping', { process, pid: this.#running.get(process)! });
    await this.ends(process);
  }

  /** Reports something about a process, or all of them. */
  async says(type: `process.${string}` | 'node.table', data: object): Promise<void> {
    this.#seq += 1;
    const { id, fqdn, incarnation } = this.#agent;
    const report = { id: `${fqdn}-process-${this.#seq}`, type, version: 1, incarnation, seq: this.#seq, data };
    const { status, body } = await this.#agent.call('POST', `/nodes/${id}/events`, [report]);
    if (status !== 202) throw new Error(`${type} was answered ${status}: ${JSON.stringify(body)}`);
  }
}
