import { between, oneOf } from '../random.ts';
import type { Machine } from './estate.ts';
import type { Status } from './muster.ts';
import type { GatewayWorld } from './world.ts';

/** How often something changes in the cluster, in ms, at the most. */
const changesMaxMs = 30_000;
/** How long a system that moves takes to register on its next server, and then to go from the one before. */
const movesMaxMs = 20_000;

/** The cluster changes: systems come, move and go, and nodes are taken out of Muster, or down, for a while. */
export class Changes {
  readonly #world: GatewayWorld;
  #isOver = false;

  constructor(world: GatewayWorld) {
    this.#world = world;
  }

  start(): void {
    void this.#run();
  }

  /** Nothing changes any more, and what was taken away is back. */
  heal(): void {
    this.#isOver = true;
    for (const node of this.#world.muster.statuses.keys()) this.#world.muster.statuses.set(node, 'up');
  }

  async #run(): Promise<void> {
    const { kernel, estate } = this.#world.around;
    const random = kernel.random('changes');
    for (;;) {
      await kernel.wait(random() * changesMaxMs, 'the cluster changes');
      if (this.#isOver) return;
      const drawn = random();
      const machine = estate.movable(random);
      if (drawn < 0.4 && machine) void this.#moves(machine, oneOf(random, estate.nodes)!, between(random, 0, movesMaxMs));
      else if (drawn < 0.6) void this.#comes(oneOf(random, estate.nodes)!, between(random, 0, movesMaxMs));
      else if (drawn < 0.75 && machine) void this.#goes(machine, between(random, 0, movesMaxMs));
      else
        void this.#nodeIs(
          oneOf(random, estate.nodes)!,
          oneOf(random, ['down', 'leaving', 'joining'] as const)!,
          4 * random() * changesMaxMs,
        );
    }
  }

  async #moves(machine: Machine, to: string, takesMs: number): Promise<void> {
    const { kernel, estate } = this.#world.around;
    const from = machine.row;
    machine.row = to;
    kernel.note(`${machine.minion} moves from ${from} to ${to}`);
    await kernel.wait(takesMs, '');
    // It may have been sent elsewhere, or back, meanwhile.
    if (machine.row !== to) return;
    estate.register(machine, to);
    await kernel.wait(takesMs, '');
    for (const node of machine.there.keys()) if (node !== machine.row) machine.there.delete(node);
  }

  async #comes(node: string, takesMs: number): Promise<void> {
    const { kernel, estate } = this.#world.around;
    const machine = estate.accept(node);
    kernel.note(`${machine.minion} comes to ${node}`);
    await kernel.wait(takesMs, '');
    if (machine.row !== undefined) estate.register(machine, machine.row);
  }

  async #goes(machine: Machine, takesMs: number): Promise<void> {
    const { kernel } = this.#world.around;
    kernel.note(`${machine.minion} goes`);
    machine.row = undefined;
    await kernel.wait(takesMs, '');
    machine.there.clear();
  }

  async #nodeIs(node: string, status: Status, forMs: number): Promise<void> {
    const { kernel } = this.#world.around;
    const { statuses } = this.#world.muster;
    if (statuses.get(node) !== 'up' || statuses.size < 2) return;
    kernel.note(`${node} is ${status}`);
    statuses.set(node, status);
    await kernel.wait(forMs, '');
    if (statuses.get(node) !== 'up') kernel.note(`${node} is up`);
    statuses.set(node, 'up');
  }
}
