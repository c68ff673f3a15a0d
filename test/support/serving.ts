import { createHash } from 'node:crypto';
import type { ProcessTable, RunningService } from '../../events/reported/process.ts';
import type { DesiredAnswer, DesiredService } from '../../lib/nodes/desired/desired.ts';
import type { Agent } from '../../tools/support/players.ts';

/** What runs of a service on a node that somebody plays. */
export type Running = { readonly instance: DesiredService['instance']; readonly pid: number };

/** The services of a node, as somebody plays them: what is wanted of each is done as soon as it is asked for. */
export class Serving {
  readonly #agent: Agent;
  readonly #running = new Map<string, Running>();
  readonly #acted = new Set<string>();
  #seq = 0;
  #said = 0;
  #pid = 100;

  constructor(agent: Agent) {
    this.#agent = agent;
  }

  /** What runs, by type. */
  get running(): ReadonlyMap<string, Running> {
    return this.#running;
  }

  /** What the agent was last told of its services; undefined where it is told nothing of any. */
  async told(): Promise<DesiredService[] | undefined> {
    return ((await this.#agent.desired()).body as DesiredAnswer).services;
  }

  /** The table of its node: what runs, and a hash of that. */
  table(): ProcessTable {
    const services = [...this.#running].map(
      ([service, { instance, pid }]) => ({ service, instance, pid, state: 'online' }) as RunningService,
    );
    const hash = createHash('sha256').update(JSON.stringify(services)).digest('hex').slice(0, 16);
    return { hash, processes: [], ...(services.length > 0 && { services }) };
  }

  /** Tells its table, as it was asked to. */
  tells = (): Promise<void> => this.says('node.table', this.table());

  /** Its node has started again: its words count anew. With its kernel nothing of what ran is there any more. */
  boots({ kernel = false }: { readonly kernel?: boolean } = {}): void {
    this.#seq = 0;
    if (kernel) this.#running.clear();
  }

  /**
   * Asks what is wanted, and does it: each instance is started once, in the place of any older one. `fails` are the
   * types that end at once.
   */
  async obey({ fails = [] }: { readonly fails?: readonly string[] } = {}): Promise<void> {
    const told = (await this.told()) ?? [];
    for (const { service, instance, goal } of told) {
      if (goal === 'stop' && this.#running.has(service)) await this.#stops(service);
      if (goal === 'run' && !this.#acted.has(`${service} ${instance}`)) await this.#starts(service, instance, fails.includes(service));
    }
    for (const service of [...this.#running.keys()]) if (!told.some((one) => one.service === service)) this.#running.delete(service);
  }

  async #starts(service: string, instance: Running['instance'], fails: boolean): Promise<void> {
    const pid = this.#pid++;
    this.#acted.add(`${service} ${instance}`);
    this.#running.set(service, { instance, pid });
    await this.says('service.starting', { service, instance, pid });
    if (fails) return this.ends(service, 1);
    await this.says('service.started', { service, instance, pid });
  }

  async #stops(service: string): Promise<void> {
    await this.says('service.stopping', this.about(service));
    await this.ends(service);
  }

  /** Which service and which of its instances a word is about, with its process. */
  about(service: string): Running & { readonly service: string } {
    return { service, ...this.#running.get(service)! };
  }

  /** A service ends by itself. */
  async ends(service: string, exit = 0): Promise<void> {
    const about = this.about(service);
    this.#running.delete(service);
    await this.says('service.stopped', { ...about, exit });
  }

  /** Counts a word that will be said when others have overtaken it; gives its number. */
  next(): number {
    this.#seq += 1;
    return this.#seq;
  }

  /** Reports something about a service, or all that runs, as the next word unless it is one that was counted before. */
  async says(type: `service.${string}` | `supervisor.${string}` | 'node.table', data: object, seq = this.next()): Promise<void> {
    this.#said += 1;
    const { id, fqdn, incarnation } = this.#agent;
    const report = { id: `${fqdn}-service-${this.#said}`, type, version: 1, incarnation, seq, data };
    const { status, body } = await this.#agent.call('POST', `/nodes/${id}/events`, [report]);
    if (status !== 202) throw new Error(`${type} was answered ${status}: ${JSON.stringify(body)}`);
  }
}
