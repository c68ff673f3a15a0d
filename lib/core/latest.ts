/** A map of at most so many entries: one that is set anew counts as the newest, and the oldest makes room. */
export class Latest<K, V> {
  readonly #max: number;
  readonly #entries = new Map<K, V>();

  constructor(max: number) {
    this.#max = max;
  }

  get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  set(key: K, value: V): void {
    this.#entries.delete(key);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < this.#max) break;
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, value);
  }

  /** The entries, the oldest first. */
  entries(): IterableIterator<[K, V]> {
    return this.#entries.entries();
  }

  clear(): void {
    this.#entries.clear();
  }

  get size(): number {
    return this.#entries.size;
  }
}
