import { describe, expect, it } from 'vitest';
import { nobody } from '../../../../lib/zones/map/rows/slots.ts';
import { at, nodeId } from '../../../../tools/support/builders.ts';
import { aZoneOf, calm, hear, lose, moved, owned } from '../members.ts';

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
      // Nodes that admit any number at once keep nobody waiting: it is over when it is planned.
      ['zone.recovered', { zone: 'default', fqdn: 'node3.acme.org', since: at(60), at: at(60), about: 0, late: false }],
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

    lose(ledger, [1]);
    lose(ledger, [2]);

    expect(ledger.zone.map.owner.every((owner) => owner === 1)).toBe(true);
    expect(moved(before, ledger.zone.map)).toHaveLength(512);
    expect([...ledger.zone.head.roster]).toEqual([6, 0, 1, 3, 0, 1]);
  });

  it('owns nothing before its first node, and is served by the first that is up again', () => {
    const empty = aZoneOf(0);
    expect(empty.zone.map.owner.every((owner) => owner === nobody)).toBe(true);

    const ledger = aZoneOf(2);
    calm(ledger, at(60));
    lose(ledger, [1, 2]);
    hear(ledger, [2]);

    expect(owned(ledger)).toEqual([0, 1_024]);
  });
});
