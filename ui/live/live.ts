import { Problem } from '../api/call.ts';
import { askJournal, catchUp } from './catch-up.ts';
import type { LiveEvent } from './event.ts';
import { Pace } from './pace.ts';
import { pause, seen } from './pause.ts';
import { type Hearing, listen } from './source.ts';
import { EventStore } from './store.ts';

/** What a page knows of its stream: how it hears, whether this tab holds the stream for all, and how busy it is. */
export type LiveState = { readonly hearing: Hearing; readonly holds: boolean; readonly total: number; readonly perSecond: number };

/** What tabs tell one another; one that was just opened asks how the stream is. */
type Told = { readonly events: readonly LiveEvent[] } | { readonly hearing: Hearing } | { readonly asks: true };

/** Over how many seconds the rate is an average. */
const rateOverS = 5;
/** A page that events reach all the time hands them on this often: nobody reads what changes with every frame. */
const betweenMs = 100;

/** Whoever holds this lock holds the stream. */
const lock = 'muster-live';
/**
 * For how many seconds a tab that is seen waits for a word of the one that holds the stream: it hears something every
 * 15 s, and notices within 40 s that it does not. One that a browser has put to sleep says nothing for longer.
 */
const patienceS = 60;

/**
 * The events of the deployment in this page. Of all tabs of a browser one holds the stream, the one that has the lock,
 * and tells the others: HTTP/1.1 lets a browser hold six connections to a host. They are handed on ten times a second
 * at the most, however many come.
 */
export class Live {
  #store = new EventStore();
  readonly #channel = new BroadcastChannel('muster-live');
  readonly #onChange = new Set<() => void>();
  readonly #onEvents = new Set<(fresh: readonly LiveEvent[]) => void>();
  #waiting: LiveEvent[] = [];
  #pace = new Pace();
  #isDue = false;
  #flushedAt = 0;
  #events: readonly LiveEvent[] = [];
  #state: LiveState = { hearing: 'connecting', holds: false, total: 0, perSecond: 0 };
  #stop = new AbortController();
  /** Ends the turn of this tab: its wait for the lock, or its hold of it. */
  #turn = new AbortController();
  /** For how many seconds, by the timer of this page, the tab that holds the stream has said nothing. */
  #silentS = 0;

  /** Begins to hear: by holding the stream, as soon as no other tab does, and by what that one tells. */
  start(): void {
    this.#stop.abort();
    this.#stop = new AbortController();
    const { signal } = this.#stop;
    this.#silentS = 0;
    this.#channel.onmessage = ({ data }: MessageEvent<Told>) => this.#hear(data);
    this.#tell({ asks: true });
    void this.#takeTurns(signal);
    void this.#fill(signal);
    const calming = setInterval(() => this.#calm(), 1_000);
    signal.addEventListener('abort', () => clearInterval(calming));
  }

  /** Ends the stream, and forgets all that was heard: somebody has signed out, and the next one may see less. */
  stop(): void {
    this.#stop.abort();
    this.#channel.onmessage = null;
    [this.#store, this.#pace, this.#waiting, this.#events] = [new EventStore(), new Pace(), [], []];
    this.#set({ hearing: 'connecting', holds: false, total: 0, perSecond: 0 });
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

  #hear(told: Told): void {
    if ('asks' in told) {
      if (this.#state.holds) this.#tell({ hearing: this.#state.hearing });
      return;
    }
    this.#silentS = 0;
    if ('events' in told) this.#take(told.events);
    else this.#set({ hearing: told.hearing });
  }

  /**
   * Holds the stream whenever it is this tab's turn, until `signal` aborts or nobody is signed in. A tab that nobody
   * sees and that has to ask for changes leaves that to the others. Takes the lock from a tab that says nothing.
   */
  async #takeTurns(signal: AbortSignal): Promise<void> {
    for (let steal = false; !signal.aborted; ) {
      this.#turn = new AbortController();
      const turn = AbortSignal.any([signal, this.#turn.signal]);
      try {
        const ended = await navigator.locks.request(lock, steal ? { steal } : { signal: turn }, () => this.#hold(turn));
        if (ended === 'over' && !turn.aborted) return;
        steal = false;
        await seen(signal);
      } catch (error) {
        if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
        // Either this tab has lost its patience, or another one has, with this one.
        steal = this.#turn.signal.aborted;
        this.#turn.abort();
      }
    }
  }

  async #hold(signal: AbortSignal): Promise<'unseen' | 'over'> {
    this.#set({ holds: true });
    const ended = await listen(
      {
        take: (events) => {
          if (events.length === 0) return this.#tell({ hearing: this.#state.hearing });
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
    this.#silentS = 0;
    if (!this.#stop.signal.aborted) this.#set({ holds: false });
    return ended;
  }

  #tell(told: Told): void {
    this.#channel.postMessage(told);
  }

  /** Takes what happened before this tab was opened: another one that holds the stream tells only what comes. */
  async #fill(signal: AbortSignal): Promise<void> {
    for (let waitsMs = 500; ; waitsMs = Math.min(10_000, waitsMs * 2)) {
      await pause(waitsMs, signal);
      // The one that holds it catches up by itself.
      if (signal.aborted || this.#state.holds) return;
      try {
        await catchUp(askJournal(signal), { take: (events) => this.#take(events), newest: () => undefined }, Date.now());
        return this.#tell({ asks: true });
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Problem)) throw error;
        this.#set({ hearing: error.status === 401 ? 'signed-out' : 'broken' });
        if (error.status === 401) return;
      }
    }
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

  /** Once a second. */
  #calm(): void {
    if (this.#state.holds || document.hidden) this.#silentS = 0;
    else if (++this.#silentS > patienceS) {
      this.#silentS = 0;
      this.#turn.abort();
    }
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
