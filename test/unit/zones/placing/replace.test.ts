import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../../lib/core/decision.ts';
import { hourMs, plusMs, secondMs } from '../../../../lib/core/time.ts';
import { decide } from '../../../../lib/nodes/decide.ts';
import type { Node } from '../../../../lib/nodes/node.ts';
import { generationAt, standingAt } from '../../../../lib/zones/map/rows/roster.ts';
import { standingOf } from '../../../../lib/zones/map/rows/standing.ts';
import { aNode, at, aZone, nodeFqdn, nodeId } from '../../../../tools/support/builders.ts';
import { Ledger } from '../ledger.ts';
import { aZoneOf, bringUp, calm, leave, lose, owned } from '../members.ts';

/** The rows as the order leaves them: the old node is out, and the other takes its place once it is ready. */
function order(ledger: Ledger, old: number, by: number, now = at(7_200)): void {
  const written = (decision: Decision<Node>): Node => {
    if (decision.does !== 'write') throw new Error(decision.because);
    return decision.next;
  };
  const [from, heir] = [nodeId(old), nodeId(by)];
  ledger.put(written(decide(ledger.node(from), { type: 'replace', id: 'an order', by: heir, force: true }, now)));
  ledger.put(written(decide(ledger.node(heir), { type: 'take-over', id: 'an order', from }, now)));
}

const given = {
  /** With the spare four, for which 1,024 slots are enough: more would be split. */
  nodes: fc.integer({ min: 2, max: 3 }),
  lost: fc.nat(),
  meanwhile: fc.constantFrom('hold' as const, 'elsewhere' as const),
  isUp: fc.boolean(),
  admitEveryMs: fc.constantFrom(0, 15 * secondMs),
  perSlot: fc.integer({ min: 0, max: 4 }),
};

describe('a replacement in recovery mode', () => {
  it('takes the slots of whom it replaces, its own index is nobody’s, and nobody else moves', () => {
    fc.assert(
      fc.property(fc.record(given), ({ nodes, lost, meanwhile, isUp, admitEveryMs, perSlot }) => {
        const ledger = new Ledger(aZone({ nodes: [] }));
        ledger.admitEveryMs = admitEveryMs;
        bringUp(
          ledger,
          Array.from({ length: nodes }, (_, n) => n + 1),
        );
        ledger.counts = new Uint16Array(1_024).fill(perSlot);
        ledger.setHead({ mode: 'recovery', meanwhile });
        const spare = nodes + 1;
        bringUp(ledger, [spare], { now: at(10) });
        const before = [...ledger.zone.map.owner];
        const old = (lost % nodes) + 1;
        const { index } = ledger.node(nodeId(old));
        calm(ledger, at(100_000));
        if (!isUp) {
          lose(ledger, [old], at(60));
          for (let hours = 0; hours < 2; hours++) ledger.plan(plusMs(at(700), hours * hourMs), []);
        }

        order(ledger, old, spare);
        ledger.plan(at(7_200), [nodeId(old), nodeId(spare)]);

        const { head, map, members } = ledger.zone;
        expect([...map.owner]).toEqual(before);
        expect([standingOf(standingAt(head.roster, index!)), generationAt(head.roster, index!)]).toEqual(['up', 2]);
        expect(standingOf(standingAt(head.roster, nodes))).toBe('none');
        expect(members.filter((member) => member?.node === nodeId(spare))).toHaveLength(1);
        expect(ledger.node(nodeId(spare))).toMatchObject({ index, generation: 2, status: 'up' });
        expect(ledger.node(nodeId(old))).toMatchObject({ status: 'dropped', planned: isUp });
      }),
      { numRuns: 60 },
    );
  });
});

/** A node that has never been up in the zone, as its rows are before the plan follows them. */
function comes(ledger: Ledger, n: number, status: 'joining' | 'up'): void {
  const { index: _none, ...fresh } = aNode({ id: nodeId(n), fqdn: nodeFqdn(n), heardAt: at(100) });
  ledger.put({ ...fresh, ...ledger.node(nodeId(n)), status, leaseUntil: at(200), awaitsPlan: true } as Node);
}

describe('a replacement in production mode', () => {
  it('that gives slots to newcomers in the plan that makes it ready is told of none: nobody is on it yet', () => {
    const ledger = new Ledger(aZone({ nodes: [] }));
    ledger.admitEveryMs = 15 * secondMs;
    bringUp(ledger, [1, 2]);
    lose(ledger, [1], at(60));
    for (const n of [3, 4]) comes(ledger, n, 'joining');
    ledger.plan(at(100));
    order(ledger, 1, 3, at(101));
    for (const n of [3, 4]) comes(ledger, n, 'up');

    const { changes } = ledger.plan(at(102));

    const { index } = ledger.node(nodeId(3));
    expect(index).toBe(0);
    expect([...ledger.zone.map.owner].filter((owner) => owner === index).length).toBeLessThan(512);
    expect(changes.flatMap(({ ref }) => (ref.noun === 'desired' ? [ref.id] : []))).toEqual([nodeId(2)]);
  });
});

describe('a node that is to take the place of another', () => {
  it('and was lost meanwhile has it as soon as it is back, and never slots of its own', () => {
    const ledger = new Ledger(aZone({ nodes: [] }));
    bringUp(ledger, [1, 2]);
    comes(ledger, 3, 'joining');
    ledger.plan(at(100));
    order(ledger, 1, 3, at(101));
    ledger.plan(at(102));
    const { index: own, ...heir } = ledger.node(nodeId(3));
    const { unready: _ready, leaseUntil: _lease, ...rest } = heir as Extract<Node, { status: 'joining' }>;
    ledger.put({ ...rest, index: own, status: 'down', downAt: at(110), returning: { leaseUntil: at(400) }, awaitsPlan: true } as Node);

    ledger.plan(at(120));
    expect(ledger.node(nodeId(3))).toMatchObject({ status: 'up', replaces: nodeId(1) });
    expect([...ledger.zone.map.owner]).not.toContain(own);
    ledger.plan(at(121));

    expect(ledger.node(nodeId(3))).toMatchObject({ status: 'up', index: 0 });
    expect(ledger.node(nodeId(1))).toMatchObject({ status: 'dropped' });
    expect([...ledger.zone.map.owner]).not.toContain(own);
  });
});

describe('a node that is to be replaced', () => {
  it('has its home held, and nothing more once another is there: what drains in that plan moves to that one', () => {
    const ledger = new Ledger(aZone({ nodes: [] }));
    ledger.counts = new Uint16Array(1_024).fill(1);
    bringUp(ledger, [1]);
    // The first has given slots to the second, and has not said yet that it has released them.
    bringUp(ledger, [2], { now: at(10) });
    leave(ledger, [1], 'hold');
    comes(ledger, 3, 'joining');
    ledger.plan(at(100));
    order(ledger, 1, 3, at(101));
    const before = ledger.node(nodeId(2));
    ledger.put({ ...before, status: 'leaving', leaving: { mode: 'drain', since: at(101) }, awaitsPlan: true } as Node);
    comes(ledger, 3, 'up');

    const { changes } = ledger.plan(at(102));

    expect(owned(ledger).slice(0, 2)).toEqual([1_024, 0]);
    expect(ledger.node(nodeId(1))).toMatchObject({ status: 'dropped' });
    expect(changes.filter(({ ref }) => ref.noun === 'node' && ref.id === nodeId(1))).toHaveLength(1);
  });

  it('is not expected to be heard: with two of five out, the third that falls silent is lost for itself', () => {
    const ledger = aZoneOf(5);
    lose(ledger, [1, 2], at(60));
    for (const [n, old] of [1, 2].entries()) {
      comes(ledger, 6 + n, 'joining');
      ledger.plan(at(100));
      order(ledger, old, 6 + n, at(101));
    }
    ledger.plan(at(102));

    lose(ledger, [3], at(150));

    expect(ledger.node(nodeId(3))).toMatchObject({ status: 'down' });
  });

  it('holds a third that falls silent as long as nobody has it replaced', () => {
    const ledger = aZoneOf(5);
    lose(ledger, [1, 2], at(60));
    lose(ledger, [3], at(150));
    expect(ledger.node(nodeId(3))).toMatchObject({ status: 'suspect' });
  });
});
