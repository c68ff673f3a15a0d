import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../../lib/core/decision.ts';
import { plusMs } from '../../../../lib/core/time.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { admit } from '../../../../lib/ports/table/limits.ts';
import { fillOf } from '../../../../lib/runtime/commit-size.ts';
import { contentOf } from '../../../../lib/runtime/content.ts';
import { standingAt } from '../../../../lib/zones/map/rows/roster.ts';
import { serves } from '../../../../lib/zones/map/rows/standing.ts';
import { slotsMax } from '../../../../lib/zones/map/split.ts';
import { type Cut, cutToFit } from '../../../../lib/zones/placing/cut.ts';
import { waitingMax } from '../../../../lib/zones/turns/queue.ts';
import type { SlotTurn } from '../../../../lib/zones/turns/turn.ts';
import { aNode, at, aZone, nodeFqdn, nodeId } from '../../../../tools/support/builders.ts';
import { Ledger } from '../ledger.ts';
import { calm, owned } from '../members.ts';

const range = (from: number, to: number): number[] => Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

/** A zone whose nodes own its slots in turn; of those that are named each node owns what is given. */
function aZoneAtOnce(nodes: number, slots: number, owner: (slot: number) => number = (slot) => slot % nodes): Ledger {
  const ledger = new Ledger(aZone({ nodes: range(1, nodes).map(() => ({})), slots, owner }));
  for (const n of range(1, nodes)) ledger.put(upNode(n));
  calm(ledger, at(100_000));
  return ledger;
}

const upNode = (n: number): Node =>
  aNode({ id: nodeId(n), fqdn: nodeFqdn(n), watch: `${nodeFqdn(n)}:4505`, index: n - 1, heardAt: at(60) });

const put = (ledger: Ledger, n: number, given: object): void =>
  ledger.put({ ...ledger.node(nodeId(n)), ...given, awaitsPlan: true } as Node);
const lose = (ledger: Ledger, n: number): void => put(ledger, n, { status: 'suspect', was: 'up' });
const drain = (ledger: Ledger, n: number): void => put(ledger, n, { status: 'leaving', leaving: { mode: 'drain', since: at(60) } });
const join = (ledger: Ledger, n: number): void => {
  const { index: _none, ...fresh } = upNode(n);
  ledger.put({ ...fresh, awaitsPlan: true });
};
const replace = (ledger: Ledger, n: number, by: number): void => {
  put(ledger, n, { removedAt: at(60), replacedBy: { node: nodeId(by), at: at(60), planned: true } });
  const { index: _none, ...fresh } = upNode(by);
  ledger.put({ ...fresh, replaces: nodeId(n), awaitsPlan: true } as Node);
};

/** What may come upon a node, by its number. */
const happens = {
  lose,
  drain,
  join: (ledger: Ledger, n: number): void => join(ledger, 100 + n),
  replace: (ledger: Ledger, n: number): void => replace(ledger, n, 200 + n),
  weigh: (ledger: Ledger, n: number): void => put(ledger, n, { weight: 2 }),
  pin: (ledger: Ledger, n: number): void => {
    const pinned = [...ledger.zone.pins.values(), { index: n - 1, hard: 1, soft: 3 }];
    ledger.setPins(pinned.sort((a, b) => a.index - b.index));
    drain(ledger, n);
  },
} as const;

/** Throws what the table throws of the plan's commit, if it throws. */
function commit({ changes }: Plan, rowsMax = 100): void {
  expect(changes.length).toBeLessThanOrEqual(rowsMax);
  if (changes.length === 0) return;
  admit(
    changes.map(({ ref, readRev, decision }) => {
      const content = contentOf(ref, undefined, decision, { by: 'test', at: at(0), exact: true });
      return content ? { put: content, readRev } : { check: { pk: ref.noun, sk: ref.id }, readRev };
    }),
  );
}

/**
 * Plans as the sweep does until nothing waits, half a minute later where that waits for a budget; gives each plan.
 * Throws when that takes more than so many.
 */
function settle(ledger: Ledger, plansMax: number, rowsMax = 100): Plan[] {
  const plans: Plan[] = [];
  ledger.rowsMax = rowsMax;
  for (let now = at(60); plans.length < plansMax; ) {
    const made = ledger.plan(now);
    commit(made, rowsMax);
    plans.push(made);
    const { settling, budgets } = ledger.zone.head;
    const isDue = ledger.nodes().some(({ awaitsPlan }) => awaitsPlan) || (budgets.lookAt !== undefined && budgets.lookAt <= now);
    if (!isDue && settling.length === 0 && !budgets.holds) return plans;
    if (!isDue && budgets.holds) {
      now = plusMs(now, 30_000);
      for (const { id } of ledger.nodes()) ledger.release(id);
    }
  }
  throw new Error(`it does not rest within ${plansMax} plans`);
}

const unserved = ({ zone }: Ledger): number => zone.map.owner.filter((owner) => !serves(standingAt(zone.head.roster, owner))).length;

describe('a plan fits into one commit', () => {
  it('in a zone of 600 nodes and 262,144 slots in which 30 drain and 30 others are due', { timeout: 60_000 }, () => {
    const ledger = aZoneAtOnce(600, 262_144);
    for (const n of range(1, 30)) drain(ledger, n);
    for (const n of range(31, 60)) put(ledger, n, { weight: 2 });

    settle(ledger, 100);

    expect(owned(ledger).slice(0, 30)).toEqual(range(1, 30).map(() => 0));
    expect(unserved(ledger)).toBe(0);
  });

  it('with the lost nodes first, before those that come and those that drain', () => {
    const ledger = aZoneAtOnce(80, 16_384);
    for (const n of range(1, 25)) drain(ledger, n);
    for (const n of range(26, 50)) put(ledger, n, { weight: 2 });
    for (const n of range(51, 60)) lose(ledger, n);

    const [first] = settle(ledger, 20);

    const followed = first!.changes.flatMap(({ ref }) => (ref.noun === 'node' ? [ref.id] : []));
    expect(followed).toEqual(expect.arrayContaining(range(51, 60).map(nodeId)));
    expect(followed).not.toContain(nodeId(25));
  });

  it('when one node drains more slots than a row holds, and takes several plans for it', { timeout: 120_000 }, () => {
    const ledger = aZoneAtOnce(2, 131_072, () => 0);
    drain(ledger, 1);

    const plans = settle(ledger, 20);

    expect(plans.length).toBeGreaterThan(1);
    expect(owned(ledger)).toEqual([0, 131_072]);
  });

  it('when more slots come home at once than a commit has bytes for, and those of a lost node get what is left', () => {
    const ledger = aZoneAtOnce(3, 16_384, (slot) => slot % 2);
    ledger.bytesShare = 1 / 64;
    ledger.zone.map.home.fill(2);
    ledger.setHead({ roster: Uint8Array.from([2, 0, 1, 2, 0, 1, 6, 0, 1]) });
    put(ledger, 3, { status: 'down', downAt: at(0), returning: { leaseUntil: at(98) } });
    lose(ledger, 2);

    const made = ledger.plan(at(60));

    commit(made);
    expect(made.cut.moves).toBeLessThan(16_384);
    expect(owned(ledger)[2]).toBe(made.cut.moves);
    expect(ledger.zone.head.budgets.lookAt).toBe(at(60));
  });

  it('however many slots of the largest zone wait for their turns: some with the fewest clients wait no more', { timeout: 120_000 }, () => {
    const ledger = aZoneAtOnce(2_000, slotsMax);
    ledger.admitEveryMs = 15_000;
    ledger.counts = Uint16Array.from({ length: slotsMax }, (_, slot) => 1 + (slot % 50));
    const waits = (slot: number): SlotTurn => ({ at: at(61), clients: 1 + (slot % 50), everyMs: 15_000, from: 1_999 });
    const turns = { slots: slotsMax, of: new Map(Array.from({ length: slotsMax }, (_, slot) => [slot, waits(slot)])) };
    ledger.setHead({ turnsVersion: 1 });
    ledger.zone = {
      ...ledger.zone,
      turns,
      members: ledger.zone.members.map((member) => member && { ...member, admitEveryMs: 15_000 }),
    };
    for (const n of range(1, 40)) lose(ledger, n);

    commit(ledger.plan(at(60)));

    expect(ledger.zone.turns.of.size).toBe(waitingMax);
    expect([...ledger.zone.turns.of.values()].every(({ clients }) => clients > 30)).toBe(true);
  });

  it('of any table, however few rows that takes, whatever is due, and comes to rest', { timeout: 120_000 }, () => {
    const nodes = 12;
    const happening = fc.record({
      n: fc.integer({ min: 1, max: nodes - 1 }),
      does: fc.constantFrom(...(Object.keys(happens) as (keyof typeof happens)[])),
    });
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 24 }), fc.integer({ min: 10, max: 30 }), fc.boolean(), (all, rowsMax, isPaced) => {
        const ledger = aZoneAtOnce(nodes, 4_096);
        ledger.admitEveryMs = isPaced ? 15_000 : 0;
        for (const { n, does } of new Map(all.map((one) => [one.n, one])).values()) happens[does](ledger, n);

        settle(ledger, 400, rowsMax);

        expect(unserved(ledger)).toBe(0);
        const drained = ledger.nodes().filter(({ status, replacedBy }) => status === 'leaving' && !replacedBy);
        for (const { index } of drained) expect(owned(ledger)[index!]).toBe(0);
      }),
      { numRuns: 60 },
    );
  });
});

describe('cutting', () => {
  const change = { ref: { noun: 'node', id: 'n' }, readRev: 0, decision: { does: 'nothing', because: 'it rests' } } as const;

  it('goes down to one node, and says so when even that does not fit', () => {
    const tried: Cut[] = [];
    const planBy = (cut: Cut) => {
      tried.push(cut);
      return { changes: Array.from({ length: 101 }, () => change), moves: 0 };
    };
    const from = { nodes: 30, notified: 30, moves: Number.POSITIVE_INFINITY };

    expect(() => cutToFit(from, planBy, { isIncomplete: () => false, fillOf })).toThrow('not even the smallest step');
    expect(tried.at(-1)).toMatchObject({ nodes: 1, notified: 1 });
    expect(tried.length).toBeLessThan(20);
  });
});
