import { describe, expect, it } from 'vitest';
import { plan } from '../../../lib/zones/plan.ts';
import { nobody } from '../../../lib/zones/slots.ts';
import { at, nodeId } from '../../support/builders.ts';
import { aZoneOf, bringUp, hear, leave, lose, moved, owned, stayUp } from './members.ts';

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

describe('a node that is lost', () => {
  it('loses its slots to the others, evenly, and nobody else moves', () => {
    const ledger = aZoneOf(5);
    const before = ledger.zone.map;

    lose(ledger, [3]);

    const moves = moved(before, ledger.zone.map);
    expect(moves).toHaveLength([...before.owner].filter((owner) => owner === 2).length);
    expect(moves.every(({ from }) => from === 2)).toBe(true);
    const rest = owned(ledger).filter((_, index) => index !== 2);
    expect(owned(ledger)[2]).toBe(0);
    expect(Math.max(...rest) - Math.min(...rest)).toBeLessThanOrEqual(1);
    expect(ledger.node(nodeId(3))).toMatchObject({ status: 'down', downAt: at(60) });
  });

  it('is concluded in one commit: the node, the head with its events, the map; nothing for a client', () => {
    const ledger = aZoneOf(5);

    const { changes, because } = lose(ledger, [3]);

    expect(changes.map(({ ref }) => ref.noun)).toEqual(['zone', 'map', 'node']);
    const head = changes[0]!.decision;
    expect(head.does === 'write' && head.events.map(({ type, data }) => [type, data])).toEqual([
      ['zone.node-lost', { zone: 'default', node: nodeId(3), slots: 205, about: 0, mapVersion: 3 }],
      ['zone.rebalanced', { zone: 'default', slots: 205, mapVersion: 3, reasons: because }],
    ]);
  });

  it('keeps its home, and has it back, nothing else moving, when it is heard again', () => {
    const ledger = aZoneOf(5);
    const before = ledger.zone.map;
    lose(ledger, [3]);

    hear(ledger, [3]);

    expect(ledger.zone.map).toEqual(before);
    expect(ledger.node(nodeId(3))).toMatchObject({ status: 'up', generation: 1, index: 2, leaseUntil: at(158) });
  });

  it('has its home back in a zone that is not quite even, too', () => {
    const counts = Uint16Array.from({ length: 1_024 }, (_, slot) => (slot * 37) % 101);
    const ledger = aZoneOf(7, { counts });
    ledger.counts = Uint16Array.from(counts, (count, slot) => count + ((slot * 13) % 50));
    const before = ledger.zone.map;

    lose(ledger, [2, 5]);
    hear(ledger, [5]);
    hear(ledger, [2]);

    expect(ledger.zone.map).toEqual(before);
  });

  it('is given up 30 min later: its home is forgotten, nobody moves', () => {
    const ledger = aZoneOf(3);
    lose(ledger, [3], at(60));
    const lost = ledger.zone.map;

    expect(ledger.plan(at(60 + 1_799), [nodeId(3)]).changes).toEqual([]);
    ledger.plan(at(60 + 1_800), [nodeId(3)]);

    expect(ledger.node(nodeId(3))).toMatchObject({ status: 'dropped', planned: false, droppedAt: at(1_860) });
    expect(moved(lost, ledger.zone.map)).toEqual([]);
    expect(ledger.zone.map.home).toEqual(ledger.zone.map.owner);
  });

  it('and was heard, but too long ago, stays down; the next node-up brings it back', () => {
    const ledger = aZoneOf(3);
    lose(ledger, [3], at(60));
    const node = ledger.node(nodeId(3));
    ledger.put({ ...node, returning: { leaseUntil: at(120) }, awaitsPlan: true } as never);

    ledger.plan(at(120));

    expect(ledger.node(nodeId(3))).toEqual(node);
    hear(ledger, [3], at(121));
    expect(ledger.node(nodeId(3)).status).toBe('up');
  });

  it('that never said ready is joining when it comes back, and that was quarantined is quarantined', () => {
    const ledger = aZoneOf(2);
    for (const given of [{ unready: true } as const, { reason: 'clone' } as const]) {
      const down = {
        ...ledger.node(nodeId(2)),
        status: 'down',
        downAt: at(60),
        returning: { leaseUntil: at(200) },
        awaitsPlan: true,
        ...given,
      };
      const { leaseUntil: _none, ...node } = down as typeof down & { leaseUntil?: number };
      ledger.put(node as never);
      ledger.plan(at(120));
      expect(ledger.node(nodeId(2)).status).toBe('unready' in given ? 'joining' : 'quarantined');
    }
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

  it('is up again, nobody having moved, when it comes back in time', () => {
    const ledger = aZoneOf(3);
    const before = ledger.zone.map;
    leave(ledger, [2], 'hold');

    stayUp(ledger, [2]);

    expect(ledger.zone.map).toEqual(before);
    expect([...ledger.zone.head.roster.slice(3, 6)]).toEqual([2, 0, 1]);
  });
});

describe('several nodes at once', () => {
  it('are followed in one plan: one lost, one back, one new, one leaving', () => {
    const ledger = aZoneOf(5);
    lose(ledger, [4]);
    for (const [n, given] of [
      [1, { status: 'suspect', was: 'up', leaseUntil: at(90) }],
      [4, { status: 'down', downAt: at(60), returning: { leaseUntil: at(200) } }],
      [5, { status: 'leaving', leaving: { mode: 'drain', since: at(110) }, leaseUntil: at(200) }],
    ] as const) {
      const {
        leaseUntil: _lease,
        downAt: _at,
        ...known
      } = ledger.node(nodeId(n)) as ReturnType<typeof ledger.node> & { leaseUntil?: number; downAt?: number };
      ledger.put({ ...known, ...given, awaitsPlan: true } as never);
    }

    ledger.plan(at(120));

    expect(owned(ledger).map((slots) => (slots > 0 ? 'some' : 'none'))).toEqual(['none', 'some', 'some', 'some', 'none']);
    expect(owned(ledger).reduce((sum, slots) => sum + slots)).toBe(1_024);
  });
});

describe('a zone without any node that is up', () => {
  it('leaves every slot with whom it is, and says so without failing', () => {
    const ledger = aZoneOf(2);
    const before = ledger.zone.map;

    lose(ledger, [1, 2]);

    expect(ledger.zone.map).toEqual(before);
    expect([...ledger.zone.head.roster]).toEqual([6, 0, 1, 6, 0, 1]);
  });

  it('owns nothing before its first node, and is served by the first that is up again', () => {
    const empty = aZoneOf(0);
    expect(empty.zone.map.owner.every((owner) => owner === nobody)).toBe(true);

    const ledger = aZoneOf(2);
    lose(ledger, [1, 2]);
    hear(ledger, [2]);

    expect(owned(ledger)).toEqual([0, 1_024]);
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

    expect(plan({ ...snapshot, nodes: [...snapshot.nodes].reverse() }, at(60))).toEqual(plan(snapshot, at(60)));
  });

  it('for nothing that is due changes nothing', () => {
    expect(aZoneOf(3).plan(at(60), [nodeId(1), nodeId(2)])).toEqual({ changes: [], because: [], needs: [] });
  });
});
