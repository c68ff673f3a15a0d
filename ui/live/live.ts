import type { LiveEvent } from './event.ts';
import { Pace } from './pace.ts';
import { catchUp, type Hearing, listen } from './source.ts';
import { EventStore } from './store.ts';

/** What a page knows of its stream: how it hears, whether this tab holds the stream for all, and how busy it is. */
export type LiveState = { readonly hearing: Hearing; readonly holds: boolean; readonly total: number; readonly perSecond: number };

/** What tabs tell one another; one that was just opened asks how the stream is. */
type Told = { readonly events: readonly LiveEvent[] } | { readonly hearing: Hearing } | { readonly asks: true };

/** Over how many seconds the rate is an average. */
const rateOverS = 5;
/** A page that events reach all the time hands them on this often: nobody reads what changes with every frame. */
const betweenMs = 100;

/**
 * The events of the deployment in this page. Of all tabs of a browser one holds the stream, the one that has the lock,
 * and tells the others: HTTP/1.1 lets a browser hold six connections to a host. They are handed on ten times a second at
 * the most, however many come.
 */
export class Live {
  readonly #store = new EventStore();
  readonly #channel = new BroadcastChannel('muster-live');
  readonly #onChange = new Set<() => void>();
  readonly #onEvents = new Set<(fresh: readonly LiveEvent[]) => void>();
  #waiting: LiveEvent[] = [];
  readonly #pace = new Pace();
  #isDue = false;
  #flushedAt = 0;
  #events: readonly LiveEvent[] = [];
  #state: LiveState = { hearing: 'connecting', holds: false, total: 0, perSecond: 0 };
  #stop = new AbortController();

  /** Begins to hear: by holding the stream, as soon as no other tab does, and by what that one tells. */
  start(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.#channel.onmessage = ({ data }: MessageEvent<Told>) => {
      if ('events' in data) this.#take(data.events);
      else if ('hearing' in data) this.#set({ hearing: data.hearing });
      else if (this.#state.holds) this.#tell({ hearing: this.#state.hearing });
    };
    this.#tell({ asks: true });
    navigator.locks
      .request('muster-live', { signal }, () => this.#hold(signal))
      .catch((error: unknown) => {
        // Whoever waits for the lock is told so when this page stops listening.
        if (!signal.aborted) throw error;
      });
    // The holder catches up by itself, the others once.
    setTimeout(() => {
      if (!this.#state.holds && !signal.aborted) this.#fill(signal).catch(() => this.#set({ hearing: 'broken' }));
    }, 500);
    const calming = setInterval(() => this.#calm(), 1_000);
    signal.addEventListener('abort', () => clearInterval(calming));
  }

  /** Ends the stream: somebody has signed out. */
  stop(): void {
    this.#stop.abort();
    this.#set({ hearing: 'connecting', holds: false });
  }

  /** Calls back at every change of {@link state} and {@link events}; gives the function that ends that. */
  subscribe = (changed: () => void): (() => void) => {
    this.#onChange.add(changed);
    return () => void this.#onChange.delete(changed);
  };

  /** Calls back with the events of each frame; gives the function that ends that. */
  onEvents = (take: (fresh: readonly LiveEvent[]) => void): (() => void) => {
    this.#onEvents.add(take);
    return () => void this.#onEvents.delete(take);
  };

  state = (): LiveState => this.#state;
  /** The events that the page remembers, the oldest first. */
  events = (): readonly LiveEvent[] => this.#events;
  /** How many events there were of late, whether the page remembers them or not. */
  get pace(): Pick<Pace, 'bars'> {
    return this.#pace;
  }

  async #hold(signal: AbortSignal): Promise<void> {
    this.#set({ holds: true });
    await listen(
      {
        take: (events) => {
          if (events.length === 0) return;
          this.#take(events);
          this.#tell({ events });
        },
        hear: (hearing) => {
          this.#set({ hearing });
          this.#tell({ hearing });
        },
        newest: () => this.#store.newest,
        place: () => this.#store.place,
      },
      signal,
    );
    // Without a stream nobody else needs the lock: it is released, and whoever has it next finds out the same.
    this.#set({ holds: false });
  }

  #tell(told: Told): void {
    this.#channel.postMessage(told);
  }

  /** What happened before this tab was opened: the tab that holds the stream tells only what comes. */
  async #fill(signal: AbortSignal): Promise<void> {
    await catchUp({ take: (events) => this.#take(events), newest: () => undefined }, signal);
  }

  #take(events: readonly LiveEvent[]): void {
    this.#waiting.push(...events);
    if (this.#isDue) return;
    this.#isDue = true;
    const flush = (): void => this.#flush();
    const waits = this.#flushedAt + betweenMs - performance.now();
    // A page that nobody sees draws no frames.
    if (document.hidden) setTimeout(flush, 250);
    else if (waits > 0) setTimeout(flush, waits);
    else requestAnimationFrame(flush);
  }

  #flush(): void {
    this.#isDue = false;
    this.#flushedAt = performance.now();
    const fresh = this.#store.take(this.#waiting.splice(0));
    if (fresh.length === 0) return;
    this.#pace.take(fresh);
    this.#events = this.#store.events;
    this.#set({ total: this.#store.total, perSecond: this.#rate() });
    for (const take of this.#onEvents) take(fresh);
  }

  #rate(): number {
    return this.#pace.rate(Date.now(), rateOverS);
  }

  #calm(): void {
    this.#set({ perSecond: this.#rate() });
  }

  #set(next: Partial<LiveState>): void {
    const isSame = Object.entries(next).every(([name, value]) => this.#state[name as keyof LiveState] === value);
    if (isSame) return;
    this.#state = { ...this.#state, ...next };
    for (const changed of this.#onChange) changed();
  }
}

/** The events of this page. */
export const live = new Live();
