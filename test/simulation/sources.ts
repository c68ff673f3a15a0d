import { type WiredQueue, wiring } from '../../infra/wiring.ts';
import type { QueueName } from '../../lib/ports/queue/queue.ts';
import { copyStored } from '../../lib/ports/table/json.ts';
import { dueShardOf } from '../../lib/ports/table/keys.ts';
import type { FeedImage } from '../../lib/ports/table/table.ts';
import { type Around, Away, type Cluster } from './cluster.ts';
import type { Kept, SimulatedQueue } from './ports/queue.ts';
import { between, type Random } from './random.ts';

/** How long a source waits before it tries again what found no room. */
const againMs = 1_000;
/** Images that one invocation of the feed's follower is handed at the most. */
const imagesMax = 20;
/** How long a shard of the feed may stand still. */
const stallMaxMs = 10 * 60_000;

/**
 * What starts functions besides calls: queues, the schedule, the feed. Each is the part of AWS, or of the embedded
 * host, that does it there.
 */
export class Sources {
  readonly #around: Around;
  readonly #cluster: Cluster;
  readonly #random: Random;
  /** No source starts anything while it is stopped: for the moment in which the world is looked at. */
  stopped = false;
  /** The feed is followed although the sources are stopped, so that what was committed since then goes out. */
  drains = false;
  #following = 0;
  readonly #shards: FeedImage[][] = [[], [], [], []];
  readonly #busyShards = new Set<number>();
  #read = 0;

  constructor(around: Around, cluster: Cluster) {
    this.#around = around;
    this.#cluster = cluster;
    this.#random = around.kernel.random('sources');
  }

  start(): void {
    for (const [name, wired] of Object.entries(wiring.functions)) {
      if (wired.queue) this.#consume(name, this.#cluster.queueOf(wired.queue as QueueName), wired.timeoutSeconds);
      // The index of searches is stored by whoever searches, outside of the world (searched.ts).
      if (wired.everySeconds && wired.queue) this.#schedule(name, wired.everySeconds);
      if (wired.feed) {
        this.#following += 1;
        this.#cluster.store.onFeed = () => this.#feed(name);
      }
    }
  }

  /** Whether nothing waits in the feed. */
  get fed(): boolean {
    return this.#shards.every((shard) => shard.length === 0) && this.#read === this.#cluster.store.rows.feed.length;
  }

  #consume(name: string, queue: SimulatedQueue, timeoutSeconds: number): void {
    const { kernel } = this.#around;
    const { retentionSeconds, receivesMax, batchMax } = wiring.queues[queue.name as WiredQueue];
    const limits = { retentionMs: retentionSeconds * 1000, receivesMax };
    const hiddenMs = 6 * timeoutSeconds * 1000;
    let polling = Number.POSITIVE_INFINITY;
    const pollAt = (at: number): void => {
      if (at >= polling) return;
      polling = at;
      kernel.after(at - kernel.now, `polls ${queue.name}`, () => {
        // Another poll has been asked for since, and sees to this one's messages too.
        if (polling !== at) return;
        polling = Number.POSITIVE_INFINITY;
        poll();
        const { asleepUntil, queuesAwayUntil } = this.#cluster;
        pollAt(Math.max(queue.nextVisibleAt, asleepUntil, queuesAwayUntil, kernel.now + (this.stopped ? againMs : 1)));
      });
    };
    const poll = (): void => {
      if (this.stopped || !this.#cluster.awake || this.#cluster.areQueuesAway) return;
      const messages = queue.receive(between(this.#random, 1, batchMax), hiddenMs, limits);
      if (messages.length > 0) void this.#hand(name, queue, messages);
    };
    queue.onVisible = pollAt;
  }

  async #hand(name: string, queue: SimulatedQueue, messages: readonly Kept[]): Promise<void> {
    const { kernel, config } = this.#around;
    try {
      const failed = await this.#cluster.run(
        name,
        async (fn, shell) => {
          const seen = messages.map(({ visibleAt: _at, cursed: _cursed, ...message }) => message);
          if (fn.on === 'queue') return fn.handle(seen, shell);
          if (fn.on !== 'schedule') throw new Error(`${name} consumes no queue`);
          await fn.handle('message', shell);
          return [];
        },
        messages.some(({ cursed }) => cursed),
      );
      queue.acknowledge(messages.filter(({ id }) => !failed.includes(id)));
      const again = messages.filter(({ id }) => failed.includes(id));
      // The embedded host gives back at once what failed; on AWS it stays hidden until its time is over.
      if (again.length > 0) queue.release(again, config.shape === 'embedded' ? Math.min(30_000, 250 * 2 ** again[0]!.receives) : undefined);
    } catch (error) {
      if (!(error instanceof Away)) {
        kernel.note(`${name} failed: ${String(error)}`);
        queue.release(messages);
        return;
      }
      // Nobody took them: that was no receive.
      for (const message of messages) message.receives -= 1;
      queue.release(messages, againMs);
    }
  }

  #schedule(name: string, { embedded }: { embedded: number }): void {
    const { kernel, config } = this.#around;
    const [periodMs, trigger] = config.shape === 'embedded' ? ([embedded * 1000, 'message'] as const) : ([60_000, 'rule'] as const);
    let running = false;
    const tick = (): void => {
      kernel.after(Math.max(periodMs, this.#cluster.asleepUntil - kernel.now), `${name} is due`, tick);
      if (running || this.stopped || !this.#cluster.awake) return;
      running = config.shape === 'embedded';
      void this.#cluster
        .run(name, async (fn, shell) => {
          if (fn.on !== 'schedule') throw new Error(`${name} has no schedule`);
          await fn.handle(trigger, shell);
        })
        .catch((error: unknown) => kernel.note(`${name} failed: ${String(error)}`))
        .finally(() => {
          running = false;
        });
    };
    kernel.after(this.#random() * periodMs, `${name} is due`, tick);
  }

  /** New images go to their shards, which keep the order of each row and no other. */
  #feed(name: string): void {
    const { feed } = this.#cluster.store.rows;
    for (; this.#read < feed.length; this.#read++) {
      const image = feed[this.#read]!;
      const shard = dueShardOf(image.row.key) % this.#shards.length;
      this.#shards[shard]!.push(image);
      this.#follow(name, shard, this.#random() * 100);
    }
  }

  #follow(name: string, shard: number, afterMs: number): void {
    if (this.#busyShards.has(shard)) return;
    this.#busyShards.add(shard);
    const { kernel, faults } = this.#around;
    const lateMs = faults.hits('delay', 0.1) ? faults.span('delay', stallMaxMs) : 0;
    kernel.after(afterMs + lateMs, `follows shard ${shard}`, () => void this.#handImages(name, shard));
  }

  async #handImages(name: string, shard: number): Promise<void> {
    const { faults, kernel } = this.#around;
    const waiting = this.#shards[shard]!;
    const images = waiting.slice(0, between(this.#random, 1, imagesMax));
    let done = false;
    try {
      if (!this.stopped || this.drains) {
        await this.#cluster.run(name, async (fn, shell) => {
          if (fn.on !== 'feed') throw new Error(`${name} follows no feed`);
          await fn.handle(images.map(copyStored), shell);
        });
        // A batch may be handed over again although it was done with.
        done = !faults.hits('duplicate', 0.3);
      }
    } catch (error) {
      if (!(error instanceof Away)) kernel.note(`${name} failed: ${String(error)}`);
    }
    if (done) waiting.splice(0, images.length);
    this.#busyShards.delete(shard);
    if (waiting.length > 0) this.#follow(name, shard, done ? 1 : Math.max(againMs, this.#cluster.asleepUntil - kernel.now));
  }
}
