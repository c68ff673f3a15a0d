import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../../lib/core/decision.ts';
import { admit, changesMax } from '../../../../lib/ports/table/limits.ts';
import { contentOf } from '../../../../lib/runtime/content.ts';
import { standingAt } from '../../../../lib/zones/map/rows/roster.ts';
import { serves } from '../../../../lib/zones/map/rows/standing.ts';
import { nodesPerPlanMax } from '../../../../lib/zones/placing/cut.ts';
import { at, nodeId } from '../../../../tools/support/builders.ts';
import { seeded } from '../../../../tools/support/seeded.ts';
import type { Ledger } from '../ledger.ts';
import { aZoneOf, bringUp, calm, hear, leave, lose, moved, owned } from '../members.ts';

const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);

/** Throws when a table would refuse the plan's commit: too many rows, or too large ones. */
function refuseUnstorable({ changes }: Plan): void {
  const puts = changes.flatMap(({ ref, readRev, decision }) => {
    const put = contentOf(ref, undefined, decision, { by: 'test', at: at(0), exact: true });
    return put ? [{ put, readRev }] : [];
  });
  expect(changes.length).toBeLessThanOrEqual(changesMax);
  if (puts.length > 0) admit(puts);
}

/** Plans until the head rests, as the sweep does while it is due; how many plans that took. */
function settle(ledger: Ledger, now = at(200)): number {
  for (let plans = 0; plans < 100; plans++) {
    const waiting = ledger.nodes().some((node) => node.awaitsPlan);
    if (!waiting && ledger.zone.head.settling.length === 0) return plans;
    const made = ledger.plan(now);
    refuseUnstorable(made);
    const head = made.changes.find(({ ref }) => ref.noun === 'zone')?.decision;
    if (ledger.zone.head.settling.length > 0) expect(head).toMatchObject({ does: 'write', wakeAt: now });
    expect(everySlotServes(ledger)).toBe(true);
  }
  throw new Error('it never rests');
}

const everySlotServes = ({ zone }: Ledger): boolean => zone.map.owner.every((owner) => serves(standingAt(zone.head.roster, owner)));

describe('more than one plan can do', () => {
  it(`is cut: ${nodesPerPlanMax} nodes a plan are followed, the others in the next`, () => {
    const ledger = aZoneOf(70, { slots: 16_384 });
    calm(ledger, at(200));
    for (const n of range(1, 65)) ledger.put({ ...ledger.node(nodeId(n)), status: 'suspect', was: 'up', awaitsPlan: true } as never);

    const plans = settle(ledger);

    expect(plans).toBe(3);
    expect(owned(ledger).map((slots) => slots > 0)).toEqual(range(1, 70).map((n) => n > 65));
  });

  it('a newcomer takes its share from 30 nodes a plan, and the head stays due until it is whole', () => {
    const ledger = aZoneOf(100, { slots: 32_768 });
    settle(ledger);

    refuseUnstorable(bringUp(ledger, [101]));
    expect(ledger.zone.head.settling).toEqual([100]);
    const first = owned(ledger)[100]!;
    settle(ledger);

    expect(ledger.zone.head.settling).toEqual([]);
    expect(owned(ledger)[100]).toBeGreaterThan(first);
    expect(owned(ledger)[100]).toBeGreaterThanOrEqual(0.98 * (32_768 / 101));
    expect(owned(ledger)[100]).toBeLessThanOrEqual(32_768 / 101 + 1);
  });

  it('many newcomers at once leave everybody an even share, also when 30 nodes a plan may give', () => {
    const ledger = aZoneOf(100, { slots: 32_768 });
    settle(ledger);

    expect(Math.max(...owned(ledger)) / (32_768 / 100)).toBeLessThanOrEqual(1.01);
    expect(Math.min(...owned(ledger)) / (32_768 / 100)).toBeGreaterThanOrEqual(0.98);
  });

  it('a node that comes back to a large zone has its home back from as many as hold it, in several plans, and nothing else', () => {
    const random = seeded(150);
    const counts = Uint16Array.from({ length: 65_536 }, () => Math.floor(random() * 30));
    const ledger = aZoneOf(150, { slots: 65_536 });
    settle(ledger);
    ledger.counts = counts;
    const before = ledger.zone.map;
    lose(ledger, [7]);

    refuseUnstorable(hear(ledger, [7]));
    expect(ledger.zone.head.settling).toEqual([6]);
    settle(ledger);

    expect(moved(before, ledger.zone.map)).toEqual([]);
  });

  it('a node that is lost before it has all of its home back loses what it has, and nobody else moves', () => {
    const ledger = aZoneOf(150, { slots: 65_536 });
    settle(ledger);
    lose(ledger, [7]);
    hear(ledger, [7]);
    const before = ledger.zone.map;
    const had = owned(ledger)[6]!;

    lose(ledger, [7], at(300));

    expect(ledger.zone.head.settling).toEqual([]);
    expect(moved(before, ledger.zone.map)).toHaveLength(had);
    expect(moved(before, ledger.zone.map).every(({ from }) => from === 6)).toBe(true);
  });

  it('a drain among more nodes than one plan may tell goes on, and what has moved does not come back', () => {
    const ledger = aZoneOf(90, { slots: 32_768 });
    settle(ledger);
    calm(ledger, at(60));
    lose(ledger, range(1, 29));
    // All 29 take their home back from 61 nodes, and one of these drains: 30 may be told.
    const node = ledger.node(nodeId(90));
    ledger.put({ ...node, status: 'leaving', leaving: { mode: 'drain', since: at(120) }, awaitsPlan: true } as never);
    refuseUnstorable(hear(ledger, range(1, 29)));
    let drained = owned(ledger)[89]!;
    for (let plans = 0; ledger.zone.head.settling.length > 0 && plans < 20; plans++) {
      refuseUnstorable(ledger.plan(at(130)));
      expect(owned(ledger)[89]).toBeLessThanOrEqual(drained);
      drained = owned(ledger)[89]!;
    }
    expect(drained).toBe(0);
    expect(ledger.zone.head.settling).toEqual([]);
  });

  it('nodes that all drain at once, nobody being left, are told when there is a place again, in a commit that a table takes', () => {
    const ledger = aZoneOf(60, { slots: 32_768 });
    settle(ledger);
    leave(ledger, range(1, 30));
    leave(ledger, range(31, 60));
    expect(owned(ledger).filter((slots) => slots > 0)).toHaveLength(30);

    refuseUnstorable(bringUp(ledger, [61]));
    settle(ledger);

    expect(owned(ledger)).toEqual([...range(1, 60).map(() => 0), 32_768]);
  });

  it('slots by the ten thousand go in deltas that a row can take, each a version of the map', () => {
    const ledger = aZoneOf(0, { slots: 65_536 });

    const made = bringUp(ledger, [1]);

    refuseUnstorable(made);
    expect(made.changes.filter(({ ref }) => ref.noun === 'delta').map(({ ref }) => ref.id)).toEqual(['default/2', 'default/3']);
    expect(ledger.zone.head).toMatchObject({ version: 3, mapVersion: 3 });
    expect(owned(ledger)).toEqual([65_536]);
  });

  it('and a node that drains 65,536 slots is told of them all in a row that a table can take', () => {
    const ledger = aZoneOf(1, { slots: 65_536 });
    bringUp(ledger, [2]);

    refuseUnstorable(leave(ledger, [1]));
    refuseUnstorable(bringUp(ledger, [3]));
  });
});

describe('every change of a plan', () => {
  it('names the revision that its row was read at', () => {
    const ledger = aZoneOf(4);
    leave(ledger, [2]);
    const snapshot = ledger.snapshot([nodeId(1)], [nodeId(2)]);

    const { changes } = lose(ledger, [3]);

    const revs = new Map(changes.map(({ ref, readRev }) => [ref.noun, readRev]));
    expect(revs.get('zone')).toBe(snapshot.headRev);
    expect(revs.get('map')).toBe(snapshot.mapRev);
    expect(revs.get('node')).toBe(ledger.snapshot([nodeId(3)]).nodes[0]!.rev - 1);
  });

  it('is fenced by the head, also when the head stays as it is', () => {
    const ledger = aZoneOf(2);
    ledger.put({ ...ledger.node(nodeId(1)), awaitsPlan: true } as never);

    expect(ledger.plan(at(60)).changes).toMatchObject([
      { ref: { noun: 'zone', id: 'default' }, decision: { does: 'nothing' } },
      { ref: { noun: 'node', id: nodeId(1) }, decision: { does: 'write' } },
    ]);
  });
});
