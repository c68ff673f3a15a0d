import { nobody, type SlotMap } from './slots.ts';

/** A slot that gets another owner or another home. */
export type Move = { readonly slot: number; readonly from: number; readonly owner: number; readonly home: number };

/** What placing rests on: the map as it is, and by node index whether it takes slots, its weight, and whether its slots must go. */
export type Placing = {
  readonly map: SlotMap;
  /** Accepted clients by slot. */
  readonly counts: ArrayLike<number>;
  /** Weight by index; 0 for a node that takes no slots. */
  readonly weights: readonly number[];
  /** Whether the slots of an index must find another owner. */
  readonly leaves: (index: number) => boolean;
  /** Whether an index is no one's home any more. */
  readonly forgotten: (index: number) => boolean;
  /** Whether an index that gives slots must be told, because it serves their clients. */
  readonly tells: (index: number) => boolean;
  /** Nodes that come back to what is their home. */
  readonly returning: readonly number[];
  /** Nodes that are owed their share. */
  readonly joining: readonly number[];
  /** How many nodes one plan may take slots from that must be told: each costs a row in the commit. */
  readonly donorsMax: number;
};

/** Every move, one a slot, and the nodes whose moves are not complete because `donorsMax` was reached. Pure and deterministic. */
export function place(placing: Placing): { moves: Move[]; settling: number[] } {
  const board = new Board(placing);
  for (const index of placing.returning) if ((placing.weights[index] ?? 0) > 0) board.takeHome(index);
  board.settleHomeless();
  board.share();
  return { moves: board.moves(), settling: board.unfinished() };
}

/** A slot taken for a share, and how to give it back. */
type Taken = { readonly slot: number; readonly donor: number; readonly home: number; readonly taker: number };

/** Loads by node while slots move about; all loops and arithmetic of placing live here. */
class Board {
  readonly #p: Placing;
  readonly #owner: Uint16Array;
  readonly #home: Uint16Array;
  readonly #load: Float64Array;
  readonly #weightSum: number;
  readonly #base: number;
  /** What a slot weighs on average. */
  readonly #slot: number;
  /** Nodes that gave a slot and must be told. */
  readonly #donors = new Set<number>();
  readonly #unfinished = new Set<number>();
  readonly #returned = new Set<number>();

  constructor(placing: Placing) {
    this.#p = placing;
    this.#owner = placing.map.owner.slice();
    this.#home = placing.map.home.slice();
    this.#load = new Float64Array(placing.weights.length);
    this.#weightSum = placing.weights.reduce((sum, weight) => sum + weight, 0);
    const slots = this.#owner.length;
    let clients = 0;
    for (let slot = 0; slot < slots; slot++) clients += placing.counts[slot] ?? 0;
    // A slot without clients weighs a little too: an empty zone is as even as a full one, and where there are few clients for so many
    // slots they do not weigh alone, since those to come may fall into any slot.
    const mean = clients / slots;
    this.#base = Math.max(1 / (1 + mean), mean / 64);
    this.#slot = clients / slots + this.#base;
    for (let slot = 0; slot < slots; slot++) if (this.#owner[slot] !== nobody) this.#load[this.#owner[slot]!]! += this.#weigh(slot);
  }

  /** All slots whose home this node is go back to it; more than its home it does not take. */
  takeHome(index: number): void {
    for (let slot = 0; slot < this.#home.length; slot++) {
      if (this.#home[slot] !== index || this.#owner[slot] === index) continue;
      this.#returned.add(index);
      if (this.#frees(slot, index)) this.#give(slot, index);
    }
  }

  /** Slots without a serving owner go, the heaviest first, to the node with the least load for its weight. */
  settleHomeless(): void {
    if (this.#weightSum === 0) return;
    const homeless: number[] = [];
    for (let slot = 0; slot < this.#owner.length; slot++) {
      const owner = this.#owner[slot]!;
      if (owner === nobody || (this.#p.leaves(owner) && this.#frees(slot, owner))) homeless.push(slot);
      if (this.#home[slot] !== nobody && this.#p.forgotten(this.#home[slot]!)) this.#home[slot] = nobody;
    }
    homeless.sort((a, b) => this.#weigh(b) - this.#weigh(a) || a - b);
    for (const slot of homeless) this.#give(slot, this.#least());
    for (let slot = 0; slot < this.#home.length; slot++) if (this.#home[slot] === nobody) this.#home[slot] = this.#owner[slot]!;
  }

  /**
   * Owed shares are taken, slot by slot, from whoever has the most for its weight, while that makes the two more even. A node without
   * any slot is owed its share too: it joined while others were away, and they have taken their home back.
   */
  share(): void {
    const slotsOf = this.#slotsByOwner();
    const bare = this.#p.weights.flatMap((weight, index) => (weight > 0 && slotsOf[index]!.length === 0 ? [index] : []));
    const joining = this.#p.joining.filter((index) => (this.#p.weights[index] ?? 0) > 0 && !this.#returned.has(index));
    const owed = new Set([...joining, ...bare]);
    const fair = this.#p.weights.reduce((sum, weight, index) => (weight > 0 ? sum + this.#load[index]! : sum), 0) / this.#weightSum;
    const taken: Taken[] = [];
    while (owed.size > 0) {
      const taker = [...owed].reduce((a, b) => (this.#ratio(b) < this.#ratio(a) ? b : a));
      const isShort = this.#load[taker]! + this.#slot / 2 < fair * this.#p.weights[taker]!;
      const donor = isShort ? this.#most(owed) : undefined;
      const slot = donor === undefined ? undefined : this.#fitting(slotsOf[donor]!, taker, donor);
      if (donor !== undefined && slot !== undefined) taken.push(this.#take(slot, taker));
      else owed.delete(taker);
    }
    this.#leaveToLater(taken);
  }

  #take(slot: number, taker: number): Taken {
    const taken = { slot, donor: this.#owner[slot]!, home: this.#home[slot]!, taker };
    this.#give(slot, taker);
    this.#home[slot] = taker;
    return taken;
  }

  /**
   * Shares are worked out whole and then cut, so that those who give in a later plan give no less than the others: what more nodes
   * than one plan may take from would have given goes back to them.
   */
  #leaveToLater(taken: readonly Taken[]): void {
    for (const { slot, donor, home, taker } of taken) {
      if (this.#mayGive(donor)) continue;
      this.#give(slot, donor);
      this.#home[slot] = home;
      this.#unfinished.add(taker);
    }
  }

  /** Nodes that another plan must go on with. */
  unfinished(): number[] {
    return [...this.#unfinished].sort((a, b) => a - b);
  }

  moves(): Move[] {
    const { owner, home } = this.#p.map;
    const moves: Move[] = [];
    for (let slot = 0; slot < owner.length; slot++)
      if (owner[slot] !== this.#owner[slot] || home[slot] !== this.#home[slot])
        moves.push({ slot, from: owner[slot]!, owner: this.#owner[slot]!, home: this.#home[slot]! });
    return moves;
  }

  #weigh(slot: number): number {
    return (this.#p.counts[slot] ?? 0) + this.#base;
  }

  #ratio(index: number): number {
    return this.#load[index]! / this.#p.weights[index]!;
  }

  /** Whether a slot may leave its owner in this plan; if not, another one goes on for the node it concerns. */
  #frees(slot: number, concerned: number): boolean {
    const frees = this.#mayGive(this.#owner[slot]!);
    if (!frees) this.#unfinished.add(concerned);
    return frees;
  }

  /** Whether this plan has room for telling a node what it gives; once it has, for all that it gives. */
  #mayGive(index: number): boolean {
    if (index === nobody || !this.#p.tells(index) || this.#donors.has(index)) return true;
    if (this.#donors.size >= this.#p.donorsMax) return false;
    this.#donors.add(index);
    return true;
  }

  #give(slot: number, index: number): void {
    const before = this.#owner[slot]!;
    if (before !== nobody) this.#load[before]! -= this.#weigh(slot);
    this.#load[index]! += this.#weigh(slot);
    this.#owner[slot] = index;
  }

  #least(): number {
    let least = -1;
    for (let index = 0; index < this.#load.length; index++)
      if (this.#p.weights[index]! > 0 && (least === -1 || this.#ratio(index) < this.#ratio(least))) least = index;
    return least;
  }

  /** The node with the most load for its weight that may give. */
  #most(takers: ReadonlySet<number>): number | undefined {
    let most: number | undefined;
    for (let index = 0; index < this.#load.length; index++) {
      if (this.#p.weights[index]! === 0 || takers.has(index)) continue;
      if (most === undefined || this.#ratio(index) > this.#ratio(most)) most = index;
    }
    return most;
  }

  #slotsByOwner(): number[][] {
    const slots: number[][] = this.#p.weights.map(() => []);
    for (let slot = this.#owner.length - 1; slot >= 0; slot--) if (this.#owner[slot] !== nobody) slots[this.#owner[slot]!]?.push(slot);
    return slots;
  }

  /** A slot of the donor's that leaves the taker no fuller than the donor was; taken off the donor's list. */
  #fitting(slots: number[], taker: number, donor: number): number | undefined {
    const at = slots.findLastIndex((slot) => (this.#load[taker]! + this.#weigh(slot)) / this.#p.weights[taker]! <= this.#ratio(donor));
    return at === -1 ? undefined : slots.splice(at, 1)[0];
  }
}
