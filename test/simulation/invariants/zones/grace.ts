import type { EpochMs } from '../../../../lib/core/time.ts';
import type { SweepRow } from '../../../../lib/deployment/rows/sweep.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import type { Committed } from '../../watching.ts';
import type { Invariant } from '../invariant.ts';
import { leaseMs } from '../nodes/lease-given.ts';
import { leaseOf, nodeSteps, skewMs } from '../rows.ts';

/**
 * Leases of a node that are remembered: a sweep may have read the row as it was some heartbeats before it was noted.
 */
const leasesKept = 6;

/** Which leases ran out when, also of nodes that have been heard since. */
class Leases {
  readonly #byNode = new Map<string, EpochMs[]>();

  take(changes: readonly Committed[]): void {
    for (const { id, after } of nodeSteps(changes)) {
      const lease = leaseOf(after as Node | undefined);
      const known = this.#byNode.get(id) ?? [];
      if (lease !== undefined && known.at(-1) !== lease) this.#byNode.set(id, [...known, lease].slice(-leasesKept));
    }
  }

  /** Of how many nodes a lease ran out after one moment and until another, clocks being a little off. */
  ranOut(since: EpochMs, until: EpochMs): number {
    return [...this.#byNode.values()].filter((all) => all.some((lease) => lease > since - skewMs && lease <= until + skewMs)).length;
  }
}

/**
 * A sweep that is late time and again is slow, not asleep: were it excused for ever, a dead node would never be missed.
 */
export const grace: Invariant = {
  name: 'grace-is-granted-once',
  says: 'a grace begins only when no sweep began for longer than a heartbeat, or when the leases of three nodes and more ran out since, lasts one lease, and is followed by as long without',
  begin: ({ violated }) => {
    const leases = new Leases();
    const check = (row: SweepRow, last: SweepRow | undefined): void => {
      const { graceUntil, sweptAt } = row;
      if (graceUntil === undefined || graceUntil === last?.graceUntil) return;
      const idleMs = sweptAt - (last?.sweptAt ?? Number.POSITIVE_INFINITY);
      const isMany = last !== undefined && leases.ranOut(last.sweptAt, sweptAt) >= 3;
      if (!(idleMs > 10_000) && !isMany) violated(`a grace although the last sweep began ${idleMs} ms ago`);
      if (graceUntil > sweptAt + leaseMs) violated(`a grace of ${graceUntil - sweptAt} ms`);
      if (last?.graceUntil !== undefined && sweptAt < last.graceUntil + leaseMs - skewMs)
        violated(`a grace again ${sweptAt - last.graceUntil} ms after one has ended`);
    };
    return {
      heedsMarks: true,
      committed: (changes) => {
        leases.take(changes);
        for (const { before, after } of changes)
          if (after.key.sk === 'sweep') check(after.body as SweepRow, before?.body as SweepRow | undefined);
      },
    };
  },
};
