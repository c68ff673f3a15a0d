/**
 * Node indexes, the one of the lowest rank on top, of equals the lower index. A rank may change at any time if `moved`
 * is called: a step costs the logarithm of the nodes, so that placing a slot does not compare all nodes.
 */
export class Heap {
  readonly #items: number[];
  /** The position of each index in `#items`; -1 when it is not there. */
  readonly #at: Int32Array;
  readonly #rank: (index: number) => number;

  constructor(items: readonly number[], size: number, rank: (index: number) => number) {
    this.#items = [...items];
    this.#at = new Int32Array(size).fill(-1);
    this.#rank = rank;
    for (const [at, index] of this.#items.entries()) this.#at[index] = at;
    for (let at = (this.#items.length >> 1) - 1; at >= 0; at--) this.#sink(at);
  }

  /** The index of the lowest rank; undefined when none is left. */
  top = (): number | undefined => this.#items[0];

  /** The rank of an index has changed; one that is not in the heap is left alone. */
  moved(index: number): void {
    const at = this.#at[index]!;
    if (at === -1) return;
    this.#rise(at);
    this.#sink(this.#at[index]!);
  }

  /** Takes an index out. */
  remove(index: number): void {
    const at = this.#at[index]!;
    const last = this.#items.pop();
    this.#at[index] = -1;
    if (last === undefined || last === index) return;
    this.#put(at, last);
    this.moved(last);
  }

  #isBefore(a: number, b: number): boolean {
    const [rankA, rankB] = [this.#rank(a), this.#rank(b)];
    return rankA === rankB ? a < b : rankA < rankB;
  }

  #put(at: number, index: number): void {
    this.#items[at] = index;
    this.#at[index] = at;
  }

  #rise(from: number): void {
    const index = this.#items[from]!;
    let at = from;
    for (let up = (at - 1) >> 1; at > 0 && this.#isBefore(index, this.#items[up]!); up = (at - 1) >> 1) {
      this.#put(at, this.#items[up]!);
      at = up;
    }
    this.#put(at, index);
  }

  #sink(from: number): void {
    const index = this.#items[from]!;
    let at = from;
    for (let down = 2 * at + 1; down < this.#items.length; down = 2 * at + 1) {
      if (down + 1 < this.#items.length && this.#isBefore(this.#items[down + 1]!, this.#items[down]!)) down++;
      if (!this.#isBefore(this.#items[down]!, index)) break;
      this.#put(at, this.#items[down]!);
      at = down;
    }
    this.#put(at, index);
  }
}
