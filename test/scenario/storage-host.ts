import type { Agent } from '../../tools/support/players.ts';
import type { World } from '../../tools/support/stepped.ts';
import { Obeying } from '../support/obeying.ts';

/** How often a host asks what is wanted of it, in ms. */
const asksEveryMs = 10_000;

/** A host of a storage zone: its agent, the processes that it runs as it is told, and what befalls it. */
export class StorageHost {
  readonly agent: Agent;
  readonly processes: Obeying;
  /** Processes that do not stop, however often they are told to. */
  readonly unwilling = new Set<string>();
  readonly #world: World;
  #isThere = true;

  private constructor(world: World, agent: Agent) {
    this.#world = world;
    this.agent = agent;
    this.processes = new Obeying(agent);
    agent.processes = this.processes;
  }

  /** Joins the storage zone, and does what it is told from then on. */
  static async joins(world: World, agent: Agent, how: { readonly zone: string; readonly token: string }): Promise<StorageHost> {
    const host = new StorageHost(world, agent);
    await agent.start({ kind: 'storage', ...how });
    world.every(asksEveryMs, () => host.#asks());
    return host;
  }

  /** Its agent is not heard any more. What runs goes on running. */
  isCutOff(): void {
    this.#isThere = false;
    this.agent.fallSilent();
  }

  /** It is dead at once, with all that ran on it. */
  dies(): void {
    this.isCutOff();
    this.processes.loses();
  }

  /** It boots: under another kernel, with nothing that runs. */
  async boots(): Promise<void> {
    this.agent.kernel += 1;
    await this.agentStarts();
  }

  /** Its agent starts, and says what runs there until it is acknowledged. */
  async agentStarts(): Promise<void> {
    this.agent.boot += 1;
    await this.isHeard();
  }

  /** It says node-up until that is acknowledged, and beats again. */
  async isHeard(): Promise<void> {
    for (let tries = 0; (await this.agent.up()).status !== 200; tries += 1) {
      if (tries === 10) throw new Error(`the node-up of ${this.agent.fqdn} was never acknowledged`);
      await this.#world.step(1_000);
    }
    this.agent.beats();
    this.#isThere = true;
  }

  async #asks(): Promise<void> {
    if (!this.#isThere || (await this.agent.desired()).status !== 200) return;
    await this.processes.obey({ except: [...this.unwilling] });
  }
}
