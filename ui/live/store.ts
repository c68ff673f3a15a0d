import type { LiveEvent } from './event.ts';

/** How many events a page remembers: some minutes of a busy deployment. */
const keptMax = 5_000;
/** How many ids it knows again: more than a catch-up ever repeats. */
const knownMax = 20_000;

/** The events that this page has, the oldest first, each once. */
export class EventStore {
  #events: LiveEvent[] = [];
  readonly #known = new Set<string>();
  #total = 0;

  /** Takes events; gives those that were not here yet. A catch-up repeats some, and may bring older ones. */
  take(events: readonly LiveEvent[]): readonly LiveEvent[] {
    const fresh = events.filter(({ id }) => !this.#known.has(id) && this.#known.add(id));
    if (fresh.length === 0) return fresh;
    const last = this.#events.at(-1)?.time ?? '';
    const isInOrder = fresh.every(({ time }, n) => time >= (fresh[n - 1]?.time ?? last));
    this.#events = [...this.#events, ...fresh];
    if (!isInOrder) this.#events.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
    if (this.#events.length > keptMax) this.#events = this.#events.slice(-keptMax);
    for (const id of this.#known) {
      if (this.#known.size <= knownMax) break;
      this.#known.delete(id);
    }
    this.#total += fresh.length;
    return fresh;
  }

  /** All events that are remembered; the list is another one after each change. */
  get events(): readonly LiveEvent[] {
    return this.#events;
  }

  /** How many there were since the page was opened. */
  get total(): number {
    return this.#total;
  }

  /** The time of the newest, as it stands in it; undefined before the first. */
  get newest(): string | undefined {
    return this.#events.at(-1)?.time;
  }

  /** The place in the stream of the newest that came by it. */
  get place(): string | undefined {
    return this.#events.findLast(({ place }) => place !== undefined)?.place;
  }
}
