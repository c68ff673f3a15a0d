import { describe, expect, it } from 'vitest';
import { decide } from '../../../../lib/nodes/decide.ts';
import type { Desired } from '../../../../lib/nodes/desired/desired.ts';
import { fillOf } from '../../../../lib/runtime/commit-size.ts';
import { plan } from '../../../../lib/zones/placing/plan.ts';
import { at, nodeId } from '../../../../tools/support/builders.ts';
import { aNodeUp, hasReleased } from '../../nodes/reports.ts';
import type { Ledger } from '../ledger.ts';
import { aZoneOf, bringUp, hear, leave, lose, moved, owned, stayUp } from '../members.ts';

/** The agent's release hook has carried out its order of this map version. */
function release(ledger: Ledger, n: number, mapVersion: number, seconds: number): void {
  const node = ledger.node(nodeId(n));
  const decision = decide(node, hasReleased(mapVersion, { incarnation: node.incarnation, receivedAt: at(seconds) }), at(seconds));
  if (decision.does === 'write') ledger.put(decision.next, decision.because);
}

describe('a node that drains', () => {
  it('loses all its slots in one plan, and nobody else moves', () => {
    const ledger = aZoneOf(4);
    const before = ledger.zone.map;

    leave(ledger, [2]);

    const moves = moved(before, ledger.zone.map);
    expect(moves).toHaveLength(256);
    expect(moves.every(({ from }) => from === 1)).toBe(true);
    expect([...ledger.zone.head.roster.slice(3, 6)]).toEqual([4, 0, 1]);
  });

  it('is told which slots to release, and in which map version, in the same commit', () => {
    const ledger = aZoneOf(4);
    const before = ledger.zone.map;

    const { changes } = leave(ledger, [2]);

    const { mapVersion } = ledger.zone.head;
    const slots = moved(before, ledger.zone.map).map(({ slot }) => slot);
    expect(changes.map(({ ref }) => ref.noun)).toEqual(['zone', 'map', 'node', 'desired']);
    expect(ledger.read<Desired>('desired', nodeId(2))).toEqual({ release: [{ mapVersion, zoneSlots: 1_024, slots }] });
    expect(ledger.node(nodeId(2))).toMatchObject({ status: 'leaving', leaving: { orderVersion: mapVersion } });
  });

  it('is dropped, as planned, once it has released them', () => {
    const ledger = aZoneOf(4);
    leave(ledger, [2]);
    const { mapVersion } = ledger.zone.head;

    release(ledger, 2, mapVersion - 1, 70);
    ledger.plan(at(70));
    expect(ledger.node(nodeId(2)).status).toBe('leaving');
    release(ledger, 2, mapVersion, 80);
    ledger.plan(at(80));

    expect(ledger.node(nodeId(2))).toMatchObject({ status: 'dropped', planned: true, droppedAt: at(80) });
  });

  it('is dropped, as planned, after 30 min without a word', () => {
    const ledger = aZoneOf(4);
    leave(ledger, [2], 'drain', at(60));

    expect(ledger.plan(at(60 + 1_799), [nodeId(2)]).changes).toEqual([]);
    ledger.plan(at(60 + 1_800), [nodeId(2)]);

    expect(ledger.node(nodeId(2))).toMatchObject({ status: 'dropped', planned: true });
  });

  it('whose clients fit nowhere is dropped after 30 min, too: they wait for a node without it', () => {
    const ledger = aZoneOf(1);
    leave(ledger, [1], 'drain', at(60));
    expect(owned(ledger)).toEqual([1_024]);

    ledger.plan(at(60 + 1_800), [nodeId(1)]);

    expect(ledger.node(nodeId(1))).toMatchObject({ status: 'dropped', planned: true });
    bringUp(ledger, [2]);
    expect(owned(ledger)).toEqual([0, 1_024]);
  });

  it('and waits for a place is told of it when there is one, before it is dropped', () => {
    const ledger = aZoneOf(1);
    leave(ledger, [1]);

    const { changes } = bringUp(ledger, [2]);

    expect(changes.map(({ ref }) => `${ref.noun} ${ref.id}`)).toContain(`desired ${nodeId(1)}`);
    ledger.plan(at(80), [nodeId(1)]);
    expect(ledger.node(nodeId(1))).toMatchObject({ status: 'leaving', leaving: { orderVersion: ledger.zone.head.mapVersion } });
    release(ledger, 1, ledger.zone.head.mapVersion, 90);
    ledger.plan(at(90));
    expect(ledger.node(nodeId(1))).toMatchObject({ status: 'dropped', planned: true });
  });

  it.each([
    { how: 'kept', inputs: [{ type: 'stay', id: 'stay' } as const] },
    {
      how: 'held and restarted',
      inputs: [{ type: 'leave', id: 'hold', mode: 'hold' } as const, aNodeUp({ boot: 'boot-bbbb', receivedAt: at(61) })],
    },
  ])('and is $how, and drains again before a plan has seen that, still waits for what it lost to be released', ({ inputs }) => {
    const ledger = aZoneOf(4);
    leave(ledger, [2]);
    for (const input of [...inputs, { type: 'leave', id: 'again', mode: 'drain' } as const]) {
      const decision = decide(ledger.node(nodeId(2)), input, at(62));
      if (decision.does === 'write') ledger.put(decision.next, decision.because);
    }

    ledger.plan(at(63));
    expect(ledger.node(nodeId(2)).status).toBe('leaving');
    release(ledger, 2, ledger.zone.head.mapVersion, 70);
    ledger.plan(at(70));

    expect(ledger.node(nodeId(2))).toMatchObject({ status: 'dropped', planned: true, droppedAt: at(70) });
  });

  it('when it stays after all has its home back, and nobody else moves', () => {
    const ledger = aZoneOf(4);
    const before = ledger.zone.map;
    leave(ledger, [2]);

    stayUp(ledger, [2]);

    expect(ledger.zone.map).toEqual(before);
  });

  it('without a slot is dropped in the plan that sees it go', () => {
    const ledger = aZoneOf(3);
    lose(ledger, [2]);
    hear(ledger, [], at(100));
    const node = ledger.node(nodeId(2)) as { downAt?: number };
    const { downAt: _at, ...known } = node;
    ledger.put({ ...known, status: 'leaving', leaseUntil: at(200), leaving: { mode: 'drain', since: at(110) }, awaitsPlan: true } as never);

    ledger.plan(at(110));

    expect(ledger.node(nodeId(2))).toMatchObject({ status: 'dropped', planned: true });
  });
});

describe('a plan that takes slots from a node that serves', () => {
  it('first asks for what that node desires, and says nothing until it has seen it', () => {
    const ledger = aZoneOf(2);
    const node = ledger.node(nodeId(2));
    ledger.put({ ...node, status: 'leaving', leaving: { mode: 'drain', since: at(60) }, awaitsPlan: true } as never);

    expect(plan(ledger.snapshot(), at(60), fillOf)).toMatchObject({ changes: [], because: [], needs: [nodeId(2)] });
    expect(plan(ledger.snapshot(undefined, [nodeId(2)]), at(60), fillOf).needs).toEqual([]);
  });

  it('asks the same of every node that a newcomer takes its share from', () => {
    const ledger = aZoneOf(5);

    bringUp(ledger, [6]);

    for (const n of [1, 2, 3, 4, 5]) expect(ledger.read<Desired>('desired', nodeId(n))!.release.at(-1)!.slots.length).toBeGreaterThan(0);
    expect(ledger.read<Desired>('desired', nodeId(6))).toBeUndefined();
  });

  it('tells a node that is down nothing', () => {
    const ledger = aZoneOf(3);

    expect(lose(ledger, [1]).changes.map(({ ref }) => ref.noun)).not.toContain('desired');
  });
});
