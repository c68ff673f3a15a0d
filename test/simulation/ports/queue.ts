import { Later } from '../../../lib/core/errors.ts';
import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import type { Message, Queue, QueueName, SendOptions } from '../../../lib/ports/queue/queue.ts';
import type { Environment } from '../environment.ts';
import type { Faults } from '../faults.ts';
import type { Kernel } from '../kernel.ts';
import type { Random } from '../random.ts';
import type { Watcher } from '../watching.ts';

/** A message in a queue: what its consumer sees, and when it may see it. */
export type Kept = Omit<Message, 'receives'> & { receives: number; visibleAt: EpochMs; readonly cursed: boolean };

/** How late a message may be, in ms. */
const delayMaxMs = 4 * 60_000;

type Around = { readonly kernel: Kernel; readonly faults: Faults; readonly watch: Required<Watcher> };

/** One standard queue: at least once, in no promised order, each message hidden while somebody works on it. */
export class SimulatedQueue {
  readonly name: QueueName;
  /** Everything that was ever taken in, to be handed over once more at the end. */
  readonly taken: Kept[] = [];
  /** The queue's own dead letters: received as often as they may be, and never answered for. */
  readonly dead: Kept[] = [];
  /** Those that waited longer than the queue keeps them. */
  readonly aged: Kept[] = [];
  /** Hears when a message will be visible. */
  onVisible = (_at: EpochMs): void => undefined;
  readonly #kept = new Set<Kept>();
  readonly #acknowledged = new Set<string>();
  readonly #around: Around;
  readonly #random: Random;
  #ids = 0;

  constructor(name: QueueName, around: Around) {
    this.name = name;
    this.#around = around;
    this.#random = around.kernel.random(`queue ${name}`);
  }

  /**
   * What was taken in and is done with, also where the word of that was lost: what only waits has not been handed over
   * for the first time, or has in vain.
   */
  get done(): readonly Kept[] {
    const waiting = new Set([...this.#kept].map(({ id }) => id));
    return this.taken.filter(({ id }) => this.#acknowledged.has(id) || !waiting.has(id));
  }

  get waiting(): number {
    return this.#kept.size;
  }

  /** When the next message will be visible; Infinity when none waits. */
  get nextVisibleAt(): number {
    let at = Number.POSITIVE_INFINITY;
    for (const kept of this.#kept) at = Math.min(at, kept.visibleAt);
    return at;
  }

  take(body: string, via: Message['via'], { delayMs = 0, ...more }: SendOptions = {}): void {
    const { kernel, faults, watch } = this.#around;
    this.#ids += 1;
    const id = `${this.name}-${this.#ids}`;
    const cursed = faults.hits('dead-letter', 0.2);
    const copies = faults.hits('duplicate') ? 2 : 1;
    for (let n = 0; n < copies; n++) {
      const lateMs = faults.hits('delay') ? faults.span('delay', delayMaxMs) : 0;
      const visibleAt = plusMs(kernel.now, delayMs + lateMs + Math.round(this.#random() * 40));
      const kept: Kept = { ...more, id, body, via, sentAt: kernel.now, receives: 0, visibleAt, cursed };
      this.#kept.add(kept);
      if (n === 0) this.taken.push(kept);
      this.onVisible(visibleAt);
    }
    watch.sent({ queue: this.name, id, body, via, ...more });
  }

  /**
   * Up to `limit` visible messages, hidden from now on for `hiddenMs`; what was received too often or is too old is put
   * where it belongs.
   */
  receive(limit: number, hiddenMs: number, { retentionMs, receivesMax }: { retentionMs: number; receivesMax: number }): Kept[] {
    const { kernel, faults } = this.#around;
    const visible = [...this.#kept].filter(({ visibleAt }) => visibleAt <= kernel.now);
    if (faults.hits('reorder')) visible.sort(() => this.#random() - 0.5);
    const received: Kept[] = [];
    for (const kept of visible) {
      if (kernel.now - kept.sentAt > retentionMs) this.#move(kept, this.aged);
      else if (kept.receives >= receivesMax) this.#move(kept, this.dead);
      else if (received.length < (received[0]?.cursed ? 1 : limit) && !(kept.cursed && received.length > 0)) {
        kept.receives += 1;
        kept.visibleAt = plusMs(kernel.now, hiddenMs);
        received.push(kept);
      }
    }
    return received;
  }

  /** Done with these: they are gone, unless that word is lost. */
  acknowledge(messages: readonly Kept[]): void {
    for (const { id } of messages) this.#acknowledged.add(id);
    for (const kept of messages) if (!this.#around.faults.hits('duplicate', 0.5)) this.#kept.delete(kept);
    for (const kept of messages) if (this.#kept.has(kept)) this.onVisible(kept.visibleAt);
  }

  /** These failed, and are visible again after so long; absent is once their time hidden is over. */
  release(messages: readonly Kept[], afterMs?: number): void {
    for (const kept of messages) {
      if (afterMs !== undefined) kept.visibleAt = plusMs(this.#around.kernel.now, afterMs);
      this.onVisible(kept.visibleAt);
    }
  }

  /** Gives the dead letters back, as an operator does, with their receives counted anew. */
  redrive(): number {
    const given = this.dead.splice(0);
    for (const kept of given) {
      const again: Kept = { ...kept, receives: 0, visibleAt: this.#around.kernel.now, cursed: false };
      this.#kept.add(again);
      this.onVisible(again.visibleAt);
    }
    return given.length;
  }

  #move(kept: Kept, to: Kept[]): void {
    this.#kept.delete(kept);
    to.push(kept);
  }
}

/** The queues as one environment reaches them; nobody does while they are away. */
export const queuePort = (
  environment: Environment,
  queueOf: (name: QueueName) => SimulatedQueue,
  { faults, areAway }: { readonly faults: Faults; readonly areAway: () => boolean },
): Queue => ({
  send: (name, body, options) =>
    environment.ask(`sends to ${name}`, async () => {
      if (areAway()) throw new Later('service.busy', `${name}: no answer`);
      if (environment.cursed || faults.hits('throttle', 0.3)) throw new Later('service.busy', `${name}: throttled`);
      if (faults.hits('partial-batch', 0.3)) throw new Later('service.busy', `${name} did not take it`);
      queueOf(name).take(body, 'door', options);
      if (faults.hits('lost-answer', 0.3)) throw new Later('service.busy', `${name}: no answer`);
    }),
  depth: (name) => environment.ask(`looks into ${name}`, async () => ({ messages: queueOf(name).waiting })),
});
