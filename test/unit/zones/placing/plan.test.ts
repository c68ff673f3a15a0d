import { describe, expect, it } from 'vitest';
import { fillOf } from '../../../../lib/runtime/commit-size.ts';
import { plan } from '../../../../lib/zones/placing/plan.ts';
import { at, nodeId } from '../../../../tools/support/builders.ts';
import { aZoneOf, bringUp, hear, leave, lose, moved, owned, stayUp } from '../members.ts';

describe('the first node of a zone', () => {
  it('is given an index, and once it is ready every slot, in one version', () => {
    const ledger = aZoneOf(0);

    const { changes } = bringUp(ledger, [1]);

    expect(owned(ledger)).toEqual([1_024]);
    expect(ledger.node(nodeId(1))).toMatchObject({ index: 0, status: 'up' });
    expect(ledger.zone.head).toMatchObject({ version: 2, mapVersion: 2, membersVersion: 1, settling: [] });
    expect(changes.map(({ ref, readRev }) => [ref.noun, readRev])).toEqual([
      ['zone', 2],
      ['map', 0],
      ['node', 3],
    ]);
  });
});

describe('slots', () => {
  it.each([2, 3, 5, 7, 30])('are spread evenly over %i nodes, within one slot', (nodes) => {
    const slots = owned(aZoneOf(nodes));

    expect(Math.max(...slots) - Math.min(...slots)).toBeLessThanOrEqual(1);
  });

  it('follow the weights of the nodes, within one slot', () => {
    const ledger = aZoneOf(0);

    bringUp(ledger, [1], { weight: 1 });
    bringUp(ledger, [2], { weight: 2 });
    bringUp(ledger, [3], { weight: 5 });

    for (const [index, weight] of [1, 2, 5].entries())
      expect(Math.abs(owned(ledger)[index]! - (1_024 * weight) / 8)).toBeLessThanOrEqual(weight);
  });

  it('follow the clients in them, so that nodes with the same weight have about as many', () => {
    const counts = Uint16Array.from({ length: 1_024 }, (_, slot) => (slot % 4 === 0 ? 300 : 10));
    const ledger = aZoneOf(4, { counts });

    const clients = [0, 0, 0, 0];
    ledger.zone.map.owner.forEach((owner, slot) => {
      clients[owner]! += counts[slot]!;
    });
    expect(Math.max(...clients) - Math.min(...clients)).toBeLessThanOrEqual(300);
  });
});

describe('a node that joins', () => {
  it('takes its share, S · w / W, from the others, and nothing else moves', () => {
    const ledger = aZoneOf(4);
    const before = ledger.zone.map;

    bringUp(ledger, [5], { weight: 2 });

    const moves = moved(before, ledger.zone.map);
    expect(moves.every(({ to }) => to === 4)).toBe(true);
    expect(Math.abs(moves.length - (1_024 * 2) / 6)).toBeLessThanOrEqual(2);
    expect(moves.every(({ slot }) => ledger.zone.map.home[slot] === 4)).toBe(true);
  });

  it('while others are down is left something when they take their home back', () => {
    const ledger = aZoneOf(1);
    lose(ledger, [1]);
    bringUp(ledger, [2]);
    expect(owned(ledger)).toEqual([0, 1_024]);

    hear(ledger, [1]);

    expect(owned(ledger)).toEqual([512, 512]);
    expect(ledger.zone.map.home).toEqual(ledger.zone.map.owner);
  });

  it('while moves are frozen takes its share once they are not, from whoever came back meanwhile like from any other', () => {
    const ledger = aZoneOf(2);
    ledger.setHead({ brakes: { freeze: 'moves' } });
    lose(ledger, [1]);
    hear(ledger, [1]);
    lose(ledger, [2], at(180));
    hear(ledger, [2], at(240));
    bringUp(ledger, [3], { now: at(300) });
    expect(owned(ledger)).toEqual([512, 512, 0]);

    ledger.setHead({ brakes: {} });
    ledger.plan(at(360));

    expect(owned(ledger)).toEqual([341, 342, 341]);
    expect(ledger.zone.head.settling).toEqual([]);
  });

  it('as new gets another index than it had; the old one stays dropped for ever', () => {
    const ledger = aZoneOf(2);
    lose(ledger, [2]);
    ledger.plan(at(2_000), [nodeId(2)]);
    const { index: _given, ...again } = ledger.node(nodeId(2));
    ledger.put({ ...again, status: 'joining', generation: 2, unready: true, leaseUntil: at(2_040), awaitsPlan: true } as never);

    ledger.plan(at(2_001));

    expect(ledger.node(nodeId(2))).toMatchObject({ index: 2, generation: 2 });
    expect([...ledger.zone.head.roster]).toEqual([2, 0, 1, 7, 0, 1, 1, 0, 2]);
  });
});

describe('a node that an operator gives up', () => {
  it.each(['up', 'joining', 'quarantined'] as const)(
    'while %s is dropped at once, not as planned, and its slots go to the others',
    (status) => {
      const ledger = aZoneOf(3);
      const reason = status === 'quarantined' ? { reason: 'clone' } : {};
      ledger.put({ ...ledger.node(nodeId(2)), status, ...reason, ordered: 'drop', awaitsPlan: true } as never);

      ledger.plan(at(60));

      expect(ledger.node(nodeId(2))).toMatchObject({ status: 'dropped', planned: false });
      expect(owned(ledger)).toEqual([512, 0, 512]);
    },
  );
});

describe('a node that is held', () => {
  it('keeps its clients until the deadline, which makes it a disaster', () => {
    const ledger = aZoneOf(3);
    const before = ledger.zone.map;

    leave(ledger, [2], 'hold', at(60));
    expect(ledger.zone.map).toEqual(before);
    expect(ledger.plan(at(659), [nodeId(2)]).changes).toEqual([]);
    ledger.plan(at(660), [nodeId(2)]);

    expect(ledger.node(nodeId(2))).toMatchObject({ status: 'down', downAt: at(660) });
    expect(owned(ledger)).toEqual([512, 0, 512]);
  });

  it('is not given up for a deadline that passed while we may have slept, before the grace is over', () => {
    const ledger = aZoneOf(3);
    leave(ledger, [2], 'hold', at(60));
    ledger.put({ ...ledger.node(nodeId(2)), awaitsPlan: true });
    const grace = { graceUntil: at(9_038) };

    ledger.plan(at(9_000), [nodeId(2)], grace);
    expect(ledger.node(nodeId(2)).status).toBe('leaving');
    ledger.plan(at(9_038), [nodeId(2)], grace);

    expect(ledger.node(nodeId(2))).toMatchObject({ status: 'down', downAt: at(9_038) });
  });

  it('is up again, nobody having moved, when it comes back in time', () => {
    const ledger = aZoneOf(3);
    const before = ledger.zone.map;
    leave(ledger, [2], 'hold');

    stayUp(ledger, [2]);

    expect(ledger.zone.map).toEqual(before);
    expect([...ledger.zone.head.roster.slice(3, 6)]).toEqual([2, 0, 1]);
  });
});

describe('a plan', () => {
  it('is the same for the same snapshot, whatever the order of its nodes', () => {
    const ledger = aZoneOf(6);
    for (const n of [2, 5]) {
      const node = ledger.node(nodeId(n));
      ledger.put({ ...node, status: 'suspect', was: 'up', awaitsPlan: true } as never);
    }
    const snapshot = ledger.snapshot();

    expect(plan({ ...snapshot, nodes: [...snapshot.nodes].reverse() }, at(60), fillOf)).toEqual(plan(snapshot, at(60), fillOf));
  });

  it('for nothing that is due changes nothing', () => {
    expect(aZoneOf(3).plan(at(60), [nodeId(1), nodeId(2)])).toMatchObject({ changes: [], because: [], needs: [], left: [] });
  });
});
