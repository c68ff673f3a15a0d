import { between, oneOf, type Random } from '../random.ts';

/** A system of the cluster as it truly is. */
export type Machine = {
  readonly clusterId: number;
  readonly minion: string;
  /** The node that Muster has it on; undefined for one that Muster does not have. */
  row: string | undefined;
  /** Its number at the node that it was adopted on. */
  readonly adopted: { readonly node: string; readonly number: number } | undefined;
  /** Its numbers on the nodes that have it now: two of them while it moves. */
  readonly there: Map<string, number>;
};

/** Where every server begins to count its systems. */
export const firstNumber = 1_000_010_000;
/** Where the cluster begins to count those that were not on the first server. */
export const firstOfCluster = 1_500_000_000;

/**
 * The systems of all servers, and which numbers they have: what the gateway only knows from hearsay. A server gives no
 * number twice, so that a number on a node is of one system for ever.
 */
export class Estate {
  readonly machines: Machine[] = [];
  readonly nodes: readonly string[];
  readonly #owners = new Map<string, Map<number, Machine>>();
  #next = firstOfCluster;

  /** `adopted` of so many systems were on their servers before; those of the first have its numbers in the cluster. */
  constructor(
    nodes: readonly string[],
    { systems, adopted, random }: { readonly systems: number; readonly adopted: number; random: Random },
  ) {
    this.nodes = nodes;
    for (const node of nodes) this.#owners.set(node, new Map());
    for (let n = 0; n < systems; n++) this.#add(nodes[n % nodes.length]!, random() < adopted, `m${n}`);
    // A minion id that comes twice on one node is nobody's.
    if (systems > 2 && random() < 0.3) for (const _ of [1, 2]) this.#add(nodes[0]!, false, 'localhost');
  }

  #add(node: string, isAdopted: boolean, minion: string): Machine {
    const number = firstNumber + this.#owners.get(node)!.size;
    const clusterId = isAdopted && node === this.nodes[0] ? number : this.#next++;
    const adopted = isAdopted ? { node, number } : undefined;
    const machine: Machine = { clusterId, minion, row: node, adopted, there: new Map() };
    this.machines.push(machine);
    this.register(machine, node);
    return machine;
  }

  /** A system that Muster has accepted, and that its server does not have yet. */
  accept(node: string): Machine {
    const machine: Machine = {
      clusterId: this.#next++,
      minion: `m${this.machines.length}`,
      row: node,
      adopted: undefined,
      there: new Map(),
    };
    this.machines.push(machine);
    return machine;
  }

  /** A server gives a system its next number. */
  register(machine: Machine, node: string): void {
    if (machine.there.has(node)) return;
    const owners = this.#owners.get(node)!;
    const number = firstNumber + owners.size;
    owners.set(number, machine);
    machine.there.set(node, number);
  }

  /** The system that a number on a node stands for, whether it is still there or not. */
  ownerOf(node: string, number: number): Machine | undefined {
    return this.#owners.get(node)?.get(number);
  }

  /** The systems that a node has now, with their numbers there. */
  on(node: string): { readonly machine: Machine; readonly number: number }[] {
    return this.machines.flatMap((machine) => {
      const number = machine.there.get(node);
      return number === undefined ? [] : [{ machine, number }];
    });
  }

  /** A number that is in use somewhere, or was. */
  someNumber = (random: Random): number => firstNumber + between(random, 0, this.machines.length);

  /** Systems that Muster has and that do not share their minion id: those that can move. */
  movable = (random: Random): Machine | undefined =>
    oneOf(
      random,
      this.machines.filter(({ row, minion }) => row !== undefined && minion !== 'localhost'),
    );
}
