import { type EpochMs, minuteMs, plusMs } from '../../../../lib/core/time.ts';
import { decide } from '../../../../lib/nodes/decide.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { isOn } from '../../../../lib/zones/guardrails/now.ts';
import { nodesPerPlanMax } from '../../../../lib/zones/placing/cut.ts';
import { at, nodeId } from '../../../../tools/support/builders.ts';
import type { Ledger } from '../ledger.ts';
import { aZoneOf } from '../members.ts';

const lease = 38_000;
const interval = 10_000;
const sweepEvery = 5_000;

/**
 * A zone in virtual time whose nodes beat every 10 s and are swept every 5 s; some of them fall silent in one moment.
 */
export class SilentZone {
  readonly ledger: Ledger;
  readonly #silent = new Set<string>();
  now: EpochMs = at(600);

  constructor(nodes: number) {
    this.ledger = aZoneOf(nodes);
    this.ledger.isHeard = ({ id }) => !this.#silent.has(id);
  }

  /**
   * So many nodes, counted from `first`, are not heard from now on; their last words are spread over the interval
   * before.
   */
  silence(count: number, first = 1): void {
    for (let i = 0; i < count; i++) {
      const node = this.ledger.node(nodeId(first + i));
      const heardAt = plusMs(this.now, -Math.floor((i * interval) / count));
      this.#silent.add(node.id);
      this.ledger.put({ ...node, heardAt, leaseUntil: plusMs(heardAt, lease) } as Node);
    }
  }

  /**
   * Silent nodes are heard again, all unless told: by a heartbeat, or by the node-up that a down one is told to send.
   */
  hear(ns?: readonly number[]): void {
    for (const id of ns?.map(nodeId) ?? [...this.#silent]) {
      this.#silent.delete(id);
      const node = this.ledger.node(id);
      const leaseUntil = plusMs(this.now, lease);
      const { downAt, ...rest } = node as Node & { downAt: EpochMs };
      const back = node.status === 'down' ? { ...node, returning: { leaseUntil } } : { ...rest, status: 'up', leaseUntil };
      this.ledger.put({ ...back, heardAt: this.now, awaitsPlan: true } as Node);
    }
  }

  /** An operator gives a node labels. */
  label(n: number, labels: Readonly<Record<string, string>>): void {
    this.ledger.put({ ...this.ledger.node(nodeId(n)), labels } as Node);
  }

  /** An operator says that who is silent now is lost. */
  calm(): void {
    this.ledger.setHead({ brakes: { calmedAt: this.now } });
  }

  /** Time passes, and the sweep runs through it. */
  pass(minutes: number): void {
    for (const end = plusMs(this.now, minutes * minuteMs); this.now < end; ) {
      this.now = plusMs(this.now, sweepEvery);
      this.#sweep();
    }
  }

  /** How many nodes are lost: down, or given up since. */
  get lost(): number {
    return this.ledger.nodes().filter(({ status }) => status === 'down' || status === 'dropped').length;
  }

  #sweep(): void {
    const due: string[] = [];
    for (const node of this.ledger.nodes()) {
      if (!this.#silent.has(node.id) && !node.awaitsPlan) continue;
      const decision = decide(node, { type: 'tick' }, this.now);
      if (decision.does === 'write') this.ledger.put(decision.next, decision.because);
      if (decision.does !== 'remove' && decision.wakeAt !== undefined && decision.wakeAt <= this.now) due.push(node.id);
    }
    for (let first = 0; first < due.length; first += nodesPerPlanMax) this.ledger.plan(this.now, due.slice(first, first + nodesPerPlanMax));
    if (due.length === 0 && isOn(this.ledger.zone.head)) this.ledger.plan(this.now, []);
  }
}
