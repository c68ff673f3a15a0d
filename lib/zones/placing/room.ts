/** How many slots one plan may move, or give another home: each costs bytes in the commit, and some can wait. */
export class Room {
  /** Whether a slot found none: a later plan continues. */
  isCut = false;
  readonly #max: number;
  readonly #taken = new Set<number>();

  constructor(max = Number.POSITIVE_INFINITY) {
    this.#max = max;
  }

  /**
   * Whether there is room for one more slot. Slots that can wait take at most half of it: they come first in the order
   * of placing, and clients of a lost node need the rest.
   */
  has(slot: number, isUrgent = false): boolean {
    const has = this.#taken.has(slot) || this.#taken.size < (isUrgent ? this.#max : Math.floor(this.#max / 2));
    if (!has) this.isCut = true;
    return has;
  }

  take(slot: number): void {
    this.#taken.add(slot);
  }

  /** Takes room for a slot that can wait, if there is any. */
  takes(slot: number): boolean {
    const has = this.has(slot);
    if (has) this.take(slot);
    return has;
  }
}
