import type { Fqdn, NodeId } from '../../lib/core/ids.ts';
import type { QueueName } from '../../lib/ports/queue/queue.ts';
import type { World } from '../../tools/support/stepped.ts';

const someLoad = { load1: 0.25, load5: 0.5, load15: 1, memoryUsedMib: 1024, memoryMib: 4096, systems: 40 };

/**
 * A system that vouches for one node of a stepped world, by the ingest bus as its rule would hand it on, or by the
 * API.
 */
export class Voucher {
  boot = 1;
  /** What the last event has told it. */
  incarnation = 0;
  #seq = 0;
  readonly #world: World;
  readonly #node: NodeId;
  readonly #fqdn: Fqdn;

  constructor(world: World, node: NodeId, fqdn: string) {
    this.#world = world;
    this.#node = node;
    this.#fqdn = fqdn as Fqdn;
  }

  up(given: { readonly seq?: number; readonly flushed?: number } = {}) {
    this.#seq += 1;
    const { seq = this.#seq, flushed } = given;
    const boot = { id: `boot-000${this.boot}`, kernel: `kernel-${this.boot}` };
    const facts = { fqdn: this.#fqdn, address: '192.0.2.7', memoryMib: 4096, cpus: 2, interfaces: [] };
    return { ...this.#report('node.up', seq), seq, data: { boot, facts, ...(flushed !== undefined && { flushed }) } };
  }

  ready = () => ({ ...this.#report('node.ready', this.incarnation), incarnation: this.incarnation, data: {} });

  beat() {
    this.#seq += 1;
    return { ...this.#report('node.heartbeat', this.#seq), incarnation: this.incarnation, seq: this.#seq, data: { load: someLoad } };
  }

  #report = (type: string, n: number) => ({ type, version: 1, id: `watchtower-${this.#node}-${type}-${n}`, node: this.#node });

  /**
   * Puts a report on the ingest bus: the rule of the sender hands it on with who that is, its zone and when the bus
   * took it.
   */
  async byBus(report: { readonly type: string }, { zone = 'default', at = this.#world.now() as number, queue = queueOf(report) } = {}) {
    const vouched = { by: 'watchtower', zone, at: new Date(at).toISOString() };
    await this.#world.queue.sendFromBus(queue, JSON.stringify({ vouched, report }));
  }

  /** Reports by the API. */
  byApi = (reports: readonly object[], headers?: Readonly<Record<string, string>>) =>
    this.#world.call('POST', '/api/v1/reports', reports, headers);

  /** Reads the incarnation of the last boot that was acknowledged. */
  listen(): void {
    const told = this.#world.bus.published.findLast(
      ({ type, subject }) => type === 'node.acknowledged' && subject === `node/${this.#node}`,
    );
    this.incarnation = (told?.data as { readonly incarnation: number } | undefined)?.incarnation ?? this.incarnation;
  }
}

const queueOf = ({ type }: { readonly type: string }): QueueName => (type === 'node.heartbeat' ? 'heartbeats' : 'reports');
