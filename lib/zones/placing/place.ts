import { relieve } from '../capacity/crowding.ts';
import { Board, type ClientsMax, type Move } from '../map/board.ts';
import { nobody, type SlotMap } from '../map/rows/slots.ts';
import { type Evenness, evennessOf, evenOut, settleHomes } from './balance.ts';
import { Room } from './room.ts';
import { type Allowance, Purse, unlimited } from './rows/budget.ts';

/**
 * The input of placing: the map as it is, and by node index whether it takes slots, its weight, and whether its slots
 * must go.
 */
export type Placing = {
  readonly map: SlotMap;
  /** Accepted clients by slot. */
  readonly counts: ArrayLike<number>;
  /** How many clients a node, by index, has by pins, whatever slots it owns; none by default. */
  readonly pinned?: (index: number) => number;
  /** Weight by index; 0 for a node that takes no slots. */
  readonly weights: readonly number[];
  /** Whether the slots of an index must find another owner. */
  readonly leaves: (index: number) => boolean;
  /** Whether an operator gave an index up, so that its slots go at once, whatever the allowance; none by default. */
  readonly atOnce?: (index: number) => boolean;
  /** Whether an index can no longer be a home. */
  readonly forgotten: (index: number) => boolean;
  /** Whether an index that gives slots must be notified, because it serves their clients. */
  readonly tells: (index: number) => boolean;
  /** Nodes that come back to their home slots. */
  readonly returning: readonly number[];
  /** Nodes that are owed their share. */
  readonly joining: readonly number[];
  /** Whether nodes that join, or have no slots, take from others; true by default. */
  readonly shares?: boolean;
  /** How many nodes that must be notified one plan may take slots from: each costs a row in the commit. */
  readonly donorsMax: number;
  /** How many slots one plan may move, or give another home: each costs bytes in the commit. Any number when absent. */
  readonly movesMax?: number;
  /** How many clients a node may be given; any number when absent. */
  readonly clientsMax?: ClientsMax;
  /** How many slots with clients may move; any number when absent. */
  readonly allowance?: Allowance;
  /** Whether the load is to be balanced now, by how even it is. */
  readonly balances?: (evenness: Evenness) => boolean;
};

/**
 * All moves, one per slot; `settling`: the nodes whose moves are incomplete because `donorsMax` was reached or the
 * budget used up; what was paid; how even the zone is now; `balanced`: whether balancing is done, absent when nothing
 * was balanced; `isCut`: whether `movesMax` has left some moves to a later plan.
 */
export type Placed = {
  readonly moves: Move[];
  readonly settling: number[];
  readonly purse: Purse;
  readonly evenness: Evenness;
  readonly balanced?: boolean;
  /** The clients of each slot that must leave its node and for which no node has room. */
  readonly crowded: readonly number[];
  readonly isCut: boolean;
};

/** Places the slots that must be placed. Pure and deterministic. */
export function place(placing: Placing): Placed {
  const placement = new Placement(placing);
  for (const index of placing.returning) if ((placing.weights[index] ?? 0) > 0) placement.takeHome(index);
  placement.settleHomeless();
  if (placing.shares !== false) {
    placement.share();
    placement.relieve();
  }
  const { board, purse } = placement;
  const settling = placement.unfinished();
  const balanced = settling.length === 0 && placing.balances?.(evennessOf(board)) ? placement.balance() : undefined;
  const { crowded } = placement;
  const { isCut } = placement.room;
  return {
    moves: board.moves(),
    settling,
    purse,
    evenness: evennessOf(board),
    crowded,
    isCut,
    ...(balanced !== undefined && { balanced }),
  };
}

/** A slot taken for a share, and how to give it back. */
type Taken = { readonly slot: number; readonly donor: number; readonly home: number; readonly taker: number };

/** The fractional parts of its multiples are spread over 0 to 1 as evenly as possible, however many there are. */
const goldenSection = (Math.sqrt(5) - 1) / 2;

/** The steps of placing, and what they leave to a later plan. */
class Placement {
  readonly board: Board;
  readonly purse: Purse;
  readonly crowded: number[] = [];
  readonly #p: Placing;
  /** Nodes that gave a slot and must be notified. */
  readonly #donors = new Set<number>();
  readonly #unfinished = new Set<number>();
  readonly #returned = new Set<number>();
  readonly room: Room;

  constructor(placing: Placing) {
    this.#p = placing;
    this.board = new Board(placing.map, placing.counts, placing.weights, placing.clientsMax, placing.pinned);
    this.room = new Room(placing.movesMax);
    this.purse = new Purse(placing.allowance ?? unlimited, placing.counts);
  }

  /** Returns all slots whose home is this node to it, if they still fit there; it takes no others. */
  takeHome(index: number): void {
    const { owner, home } = this.board;
    for (let slot = 0; slot < home.length; slot++) {
      if (home[slot] !== index || owner[slot] === index || !this.board.fits(slot, index)) continue;
      this.#returned.add(index);
      if (this.room.has(slot, this.#isLost(owner[slot]!)) && this.#mayGive(owner[slot]!)) this.#give(slot, index);
      else this.#unfinished.add(index);
    }
  }

  /** Slots without a serving owner go, the heaviest first, to the node with the least load for its weight. */
  settleHomeless(): void {
    const { board } = this;
    const { owner, home } = board;
    if (board.weightSum === 0) return;
    // A new zone fills each fourth node less than the others, by the clients of one slot: there the heaviest slots of a
    // lost node find room.
    const isNew = board.takers().every((index) => board.owned(index) === 0);
    const takers = board.emptiest(board.takers(), isNew ? (index) => (index % 4 === 0 ? board.slotClients : 0) : undefined);
    const goes = this.#leaver();
    for (const slot of this.#leaving()) {
      const taker = board.takerOf(slot, takers);
      if (taker === undefined) this.crowded.push(board.clientsIn(slot));
      else if (goes(slot)) {
        this.#give(slot, taker);
        takers.moved(taker);
      }
    }
    const forgotten = this.#which(this.#p.forgotten);
    for (let slot = 0; slot < home.length; slot++) {
      const index = home[slot]!;
      if ((index !== nobody && forgotten[index] !== 1) || index === owner[slot] || !this.room.takes(slot)) continue;
      home[slot] = owner[slot]!;
    }
  }

  /** 1 for each node for which `holds` is true, by index: an array, because it is read for every slot. */
  #which(holds: (index: number) => boolean): Uint8Array {
    return Uint8Array.from(this.#p.weights, (_, index) => Number(holds(index)));
  }

  /** The slots that must find another owner, the heaviest first. */
  #leaving(): number[] {
    const { board } = this;
    const { owner } = board;
    const leaves = this.#which(this.#p.leaves);
    const slots: number[] = [];
    for (let slot = 0; slot < owner.length; slot++) {
      const index = owner[slot]!;
      if (index === nobody || leaves[index] === 1) slots.push(slot);
    }
    return slots.sort((a, b) => board.weigh(b) - board.weigh(a) || a - b);
  }

  /**
   * Whether one of the leaving slots may go now; if so, pays for it. Of lost nodes, the slots of the fullest go at once
   * as long as that is allowed, and so do the slots of nodes that an operator gave up.
   */
  #leaver(): (slot: number) => boolean {
    const { board, purse } = this;
    const lost = this.#p.weights.flatMap((_, index) => (this.#p.leaves(index) && !this.#p.tells(index) ? [index] : []));
    const { atOnce = () => false } = this.#p;
    const whole = lost.filter((index) => !atOnce(index)).toSorted((a, b) => board.load(b) - board.load(a))[0];
    const isLost = new Set(lost);
    return (slot) => {
      const index = board.owner[slot]!;
      const isUrgent = index === nobody || isLost.has(index);
      if (!this.room.has(slot, isUrgent)) {
        if (!isUrgent) this.#unfinished.add(index);
        return false;
      }
      if (index === nobody) return true;
      if (isUrgent && atOnce(index)) {
        purse.payOrdered(slot);
        return true;
      }
      return isUrgent ? purse.paysLost(slot, index === whole) : this.#gives(slot, index, index);
    };
  }

  /**
   * Whether a slot may leave a serving node; if so, pays for it. If not, another plan continues for the concerned node.
   */
  #gives(slot: number, donor: number, concerned: number): boolean {
    const gives = this.#affords(slot, donor);
    if (!gives) this.#unfinished.add(concerned);
    return gives;
  }

  /**
   * Evens out the clients, and then, with slots that have none, the share of future clients: either alone would leave
   * the other uneven where there are few clients for many slots. Gives whether that is done.
   */
  balance(): boolean {
    const { board } = this;
    const clients = board.byClients();
    const isEven = evenOut(clients, this.#affords, { may: (slot) => board.clientsIn(slot) > 0 });
    for (const { slot, owner } of clients.moves()) board.give(slot, owner);
    // These slots have no clients: they are spread as evenly as possible.
    if (!isEven || !evenOut(board, this.#affords, { may: (slot) => board.clientsIn(slot) === 0, below: 1 })) return false;
    return settleHomes(board, (slot) => this.room.takes(slot));
  }

  /** Nodes that have more clients than a plan would give them give slots to others. */
  relieve(): void {
    relieve(this.board, this.#affords);
  }

  /** Whether a slot may leave a serving node without need; if so, pays for it. */
  #affords = (slot: number, donor: number): boolean => {
    const gives = this.room.has(slot) && this.purse.affords(slot, donor) && this.#mayGive(donor);
    if (gives) this.purse.pay(slot, donor);
    if (gives) this.room.take(slot);
    return gives;
  };

  /**
   * Takes owed shares, slot by slot, from the node with the most for its weight, while that makes the two more even. A
   * node without any slot is owed its share too: it joined while others were away, and they have taken their home back.
   * A node that has its share gives like any other, such as one that came back in a freeze and lost nothing.
   */
  share(): void {
    const { board } = this;
    const fair = board.fairRatio();
    const isShort = (index: number): boolean => board.load(index) + board.slotLoad / 2 < fair * board.weight(index);
    const takers = board.takers();
    const bare = takers.filter((index) => board.owned(index) === 0);
    const joining = this.#p.joining.filter((index) => board.weight(index) > 0 && !this.#returned.has(index));
    const owed = new Set([...joining, ...bare].filter(isShort));
    if (owed.size === 0) return;
    this.#keepOwn(new Set(bare), isShort);
    const others = takers.filter((index) => !owed.has(index));
    const [short, donors, slotsOf] = [board.emptiest([...owed]), board.fullest(others), board.slotsOf(others)];
    const taken: Taken[] = [];
    for (let taker = short.top(); taker !== undefined; taker = short.top()) {
      const donor = isShort(taker) ? donors.top() : undefined;
      const slot = donor === undefined ? undefined : this.#fitting(slotsOf(donor), { taker, donor, fair, nth: taken.length });
      if (donor === undefined || slot === undefined) short.remove(taker);
      else {
        taken.push(this.#take(slot, taker));
        donors.moved(donor);
        short.moved(taker);
      }
    }
    this.#leaveToLater(taken);
  }

  /**
   * A node that would have nothing left retains its share of the slots that went home to others; otherwise it would be
   * owed other slots for them.
   */
  #keepOwn(bare: ReadonlySet<number>, isShort: (index: number) => boolean): void {
    const { board } = this;
    for (const [slot, before] of this.#p.map.owner.entries()) {
      const now = board.owner[slot]!;
      if (now === before || now === nobody || !bare.has(before) || !isShort(before)) continue;
      const room = Math.min(board.ratio(now) * board.weight(before) - board.load(before), board.room(before));
      if (board.weigh(slot) <= room) this.#take(slot, before);
    }
  }

  /**
   * A slot of the donor that leaves the taker no fuller than the donor was; taken off the donor's list. While the donor
   * has much to spare, heavy and light slots alternate, so that the taker gets the usual mix. Then the slot that leaves
   * the donor even, if the taker's share is then complete with its proportion of all slots.
   */
  #fitting(slots: number[], { taker, donor, fair, nth }: { taker: number; donor: number; fair: number; nth: number }): number | undefined {
    const { board } = this;
    const spare = board.load(donor) - fair * board.weight(donor);
    const room = Math.min(board.ratio(donor) * board.weight(taker) - board.load(taker), board.room(taker));
    if (Math.min(spare, room) > 2 * board.slotLoad) {
      const at = Math.floor(slots.length * ((nth * goldenSection) % 1));
      if (slots.length > 0 && board.weigh(slots[at]!) <= room) return slots.splice(at, 1)[0];
    }
    const left = Math.floor((board.owner.length * board.weight(taker)) / board.weightSum) - board.owned(taker);
    const each = (fair * board.weight(taker) - board.load(taker)) / Math.max(1, left);
    return board.takeHeaviest(slots, Math.min(Math.max(spare, each), room)) ?? board.takeLightest(slots, room);
  }

  #take(slot: number, taker: number): Taken {
    const { board } = this;
    const taken = { slot, donor: board.owner[slot]!, home: board.home[slot]!, taker };
    board.give(slot, taker);
    board.home[slot] = taker;
    return taken;
  }

  /**
   * Shares are computed whole and then cut, so that donors of a later plan give no less than the others. Slots of
   * donors beyond the limit of one plan go back to them. Slots without clients cost nothing, but as large a part of
   * them waits as of the others: a share of empty slots alone would have no clients.
   */
  #leaveToLater(taken: readonly Taken[]): void {
    const [empty, full] = [true, false].map((isEmpty) => taken.filter(({ slot }) => (this.board.clientsIn(slot) === 0) === isEmpty));
    const left = full!.filter(({ slot, donor, taker }) => !this.#gives(slot, donor, taker));
    let may = full!.length === 0 ? empty!.length : Math.floor((empty!.length * (full!.length - left.length)) / full!.length);
    for (const one of empty!) if (may-- <= 0 || !this.#gives(one.slot, one.donor, one.taker)) left.push(one);
    for (const { slot, donor, home, taker } of left) {
      this.#unfinished.add(taker);
      this.board.give(slot, donor);
      this.board.home[slot] = home;
    }
  }

  #give(slot: number, index: number): void {
    this.board.give(slot, index);
    this.room.take(slot);
  }

  /** A node that is gone without notification: its slots move first. */
  #isLost = (index: number): boolean => index === nobody || (this.#p.leaves(index) && !this.#p.tells(index));

  /** Nodes with which another plan must continue. */
  unfinished(): number[] {
    return [...this.#unfinished].sort((a, b) => a - b);
  }

  /**
   * Whether this plan has room for notifying a node of the slots that it gives; one notification covers all of them.
   */
  #mayGive(index: number): boolean {
    if (index === nobody || !this.#p.tells(index) || this.#donors.has(index)) return true;
    if (this.#donors.size >= this.#p.donorsMax) return false;
    this.#donors.add(index);
    return true;
  }
}
