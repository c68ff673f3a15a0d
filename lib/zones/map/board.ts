import { Heap } from './heap.ts';
import { nobody, type SlotMap } from './rows/slots.ts';

/** A slot that gets another owner or another home. */
export type Move = { readonly slot: number; readonly from: number; readonly owner: number; readonly home: number };

/** The slots of an owner, the heaviest last; sorted on first use. */
export type SlotsOf = (index: number) => number[];

/** How many clients a node, by index, may be given; infinite for one that takes any number. */
export type ClientsMax = (index: number) => number;
const anyNumber: ClientsMax = () => Number.POSITIVE_INFINITY;

/** A map while its slots are being moved, with the load of each node. */
export class Board {
  readonly owner: Uint16Array;
  readonly home: Uint16Array;
  /** The clients of a slot on average. */
  readonly slotClients: number;
  /** What a slot weighs on average. */
  readonly slotLoad: number;
  readonly weightSum: number;
  readonly #before: SlotMap;
  readonly #weights: readonly number[];
  readonly #load: Float64Array;
  readonly #owned: Uint32Array;
  readonly #counts: ArrayLike<number>;
  readonly #clients: Float64Array;
  readonly #most: ClientsMax;
  readonly #pinned: ((index: number) => number) | undefined;
  /** What a slot weighs besides its clients. */
  readonly #base: number;

  /**
   * `counts` are the clients by slot, `weights` those of the nodes by index; 0 for a node that takes no slots. `most`:
   * how many clients a node may be given; `pinned`: how many it has by pins, which weigh like those of its slots.
   * `base`: what a slot weighs besides its clients; by default a little.
   */
  constructor(
    map: SlotMap,
    counts: ArrayLike<number>,
    weights: readonly number[],
    most: ClientsMax = anyNumber,
    pinned?: (index: number) => number,
    base?: number,
  ) {
    this.#before = map;
    this.#weights = weights;
    this.#counts = counts;
    this.#most = most;
    this.#pinned = pinned;
    this.owner = map.owner.slice();
    this.home = map.home.slice();
    this.#load = new Float64Array(weights.length);
    this.#owned = new Uint32Array(weights.length);
    this.#clients = new Float64Array(weights.length);
    this.weightSum = weights.reduce((sum, weight) => sum + weight, 0);
    // Each step below runs for every slot while a whole zone waits for the plan, so the loops use local variables.
    const { owner } = this;
    const [load, owned, clientsOf] = [this.#load, this.#owned, this.#clients];
    const slots = owner.length;
    let clients = 0;
    for (let slot = 0; slot < slots; slot++) clients += counts[slot] ?? 0;
    // A slot without clients weighs a little too, so that an empty zone is as even as a full one. Where there are few
    // clients for many slots, the present clients do not decide alone, since new clients may fall into any slot.
    const mean = clients / slots;
    this.slotClients = mean;
    const own = base ?? Math.max(1 / (1 + mean), mean / 64);
    this.#base = own;
    this.slotLoad = mean + own;
    for (let slot = 0; slot < slots; slot++) {
      const index = owner[slot]!;
      if (index === nobody) continue;
      const here = counts[slot] ?? 0;
      load[index]! += here + own;
      owned[index]!++;
      clientsOf[index]! += here;
    }
    if (pinned)
      for (let index = 0; index < weights.length; index++) {
        this.#load[index]! += pinned(index);
        this.#clients[index]! += pinned(index);
      }
  }

  /** The present map weighed by its clients alone: a slot without clients weighs nothing. */
  byClients = (): Board => new Board({ owner: this.owner, home: this.home }, this.#counts, this.#weights, this.#most, this.#pinned, 0);

  /** The load of a slot: its clients, and a little for future ones. */
  weigh = (slot: number): number => (this.#counts[slot] ?? 0) + this.#base;
  /** How many slots a node owns. */
  owned = (index: number): number => this.#owned[index]!;
  load = (index: number): number => this.#load[index]!;
  weight = (index: number): number => this.#weights[index] ?? 0;
  ratio = (index: number): number => this.#load[index]! / this.#weights[index]!;
  /** The clients of a node: of its slots, and those pinned to it. */
  clients = (index: number): number => this.#clients[index]!;
  clientsIn = (slot: number): number => this.#counts[slot] ?? 0;
  /** The clients that a node may be given beyond those that it has; negative when it has too many. */
  left = (index: number): number => this.#most(index) - this.#clients[index]!;
  /** Whether a node has room for a slot. One without clients goes anywhere. */
  fits = (slot: number, index: number): boolean => this.clientsIn(slot) === 0 || this.clientsIn(slot) <= this.left(index);
  /** Whether a node has no room for the clients of a slot as they are on average. */
  isFull = (index: number): boolean => this.left(index) < this.slotClients;
  /** The most that a slot may weigh for which a node has room. */
  room = (index: number): number => this.left(index) + this.#base;

  /**
   * The emptiest node that takes slots and has room for this one; mostly the top of the heap. Undefined when none has
   * room.
   */
  takerOf(slot: number, takers: Heap): number | undefined {
    const top = takers.top()!;
    if (this.fits(slot, top)) return top;
    const fitting = this.takers().filter((index) => this.fits(slot, index));
    return fitting.reduce<number | undefined>(
      (least, index) => (least === undefined || this.ratio(index) < this.ratio(least) ? index : least),
      undefined,
    );
  }

  /** The load per weight of each node that takes slots if all their load were spread evenly. */
  fairRatio(): number {
    let held = 0;
    for (let index = 0; index < this.#weights.length; index++) if (this.#weights[index]! > 0) held += this.#load[index]!;
    return held / this.weightSum;
  }

  /** The nodes that take slots. */
  takers = (): number[] => this.#weights.flatMap((weight, index) => (weight > 0 ? [index] : []));

  /**
   * These nodes, the one with the least load for its weight on top; `reserved` is load for which a node must leave
   * room.
   */
  emptiest = (indexes: readonly number[], reserved: (index: number) => number = () => 0): Heap =>
    new Heap(indexes, this.#weights.length, (index) => (this.load(index) + reserved(index)) / this.weight(index));
  /** These nodes, the one with the most load for its weight on top. */
  fullest = (indexes: readonly number[]): Heap => new Heap(indexes, this.#weights.length, (index) => -this.ratio(index));

  /** A slot gets another owner. */
  give(slot: number, index: number): void {
    const before = this.owner[slot]!;
    if (before !== nobody) {
      this.#load[before]! -= this.weigh(slot);
      this.#owned[before]!--;
      this.#clients[before]! -= this.clientsIn(slot);
    }
    this.#load[index]! += this.weigh(slot);
    this.#owned[index]!++;
    this.#clients[index]! += this.clientsIn(slot);
    this.owner[slot] = index;
  }

  /** The slots of each of these owners, or some of them, the heaviest last, of equals the lowest number. */
  slotsOf(owners: readonly number[], some: (slot: number) => boolean = () => true): SlotsOf {
    const lists: (number[] | undefined)[] = [];
    for (const index of owners) lists[index] = [];
    for (let slot = this.owner.length - 1; slot >= 0; slot--) if (some(slot)) lists[this.owner[slot]!]?.push(slot);
    const sorted = new Set<number>();
    return (index) => {
      const slots = lists[index] ?? [];
      if (!sorted.has(index)) slots.sort((a, b) => this.weigh(a) - this.weigh(b) || b - a);
      sorted.add(index);
      return slots;
    };
  }

  /** Takes the heaviest slot of at most this load off such a list; undefined when each weighs more. */
  takeHeaviest(slots: number[], most: number): number | undefined {
    let [low, high] = [0, slots.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.weigh(slots[middle]!) <= most) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? undefined : slots.splice(low - 1, 1)[0];
  }

  /** Takes the lightest slot off such a list; undefined when it weighs more than this. */
  takeLightest = (slots: number[], most: number): number | undefined =>
    slots.length > 0 && this.weigh(slots[0]!) <= most ? slots.shift() : undefined;

  /** The slots whose owner or home differs from before. */
  moves(): Move[] {
    const { owner: from, home: was } = this.#before;
    const { owner, home } = this;
    const moves: Move[] = [];
    for (let slot = 0; slot < owner.length; slot++)
      if (from[slot] !== owner[slot] || was[slot] !== home[slot])
        moves.push({ slot, from: from[slot]!, owner: owner[slot]!, home: home[slot]! });
    return moves;
  }
}
