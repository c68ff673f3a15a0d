import type { ApiClient } from '../../lib/api/client.ts';

/** Limits how many calls are under way; `waiting` is how many wait for their turn now. */
export type CallLimit = { readonly of: (api: ApiClient) => ApiClient; readonly waiting: () => number };

/**
 * Clients that together have at most so many calls under way, so that thousands of callers do not need thousands of
 * sockets.
 */
export function atMost(max: number): CallLimit {
  let under = 0;
  const queue = new Queue<() => void>();
  return {
    waiting: () => queue.size,
    of: (api) => async (route, sent) => {
      if (under >= max) await new Promise<void>((resolve) => queue.put(resolve));
      else under++;
      try {
        return await api(route, sent);
      } finally {
        const next = queue.take();
        if (next) next();
        else under--;
      }
    },
  };
}

/**
 * A queue, first in, first out. An array's own `shift` moves all later items, of which there may be a hundred thousand.
 */
class Queue<T> {
  #items: (T | undefined)[] = [];
  #first = 0;

  get size(): number {
    return this.#items.length - this.#first;
  }

  put(item: T): void {
    this.#items.push(item);
  }

  take(): T | undefined {
    if (this.size === 0) return undefined;
    const item = this.#items[this.#first];
    this.#items[this.#first++] = undefined;
    if (this.#first > 1_000 && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first);
      this.#first = 0;
    }
    return item;
  }
}
