import { describe, expect, it } from 'vitest';
import { minuteMs, secondMs } from '../../../../lib/core/time.ts';
import type { Desired } from '../../../../lib/nodes/desired/desired.ts';
import type { NodeIn } from '../../../../lib/nodes/node.ts';
import { forecastOf } from '../../../../lib/zones/forecast.ts';
import { queueEndOf } from '../../../../lib/zones/pins/pins.ts';
import { endOf } from '../../../../lib/zones/turns/turn.ts';
import { clientsCounted, forecastView } from '../../../../lib/zones/view/zone.ts';
import type { Counts, ZoneHead } from '../../../../lib/zones/zone.ts';
import { releasedBy } from '../../../../programs/agent/systems.ts';
import { at, aZone, fpOf, nodeFqdn, nodeId, noon } from '../../../../tools/support/builders.ts';
import { Ledger } from '../ledger.ts';
import { aZoneOf, bringUp, calm, hear, leave, lose } from '../members.ts';

const everyMs = 15 * secondMs;
const counts: Counts = { at: noon, perSlot: new Uint8Array(2_048).map((_, i) => i % 2) };

/** Three nodes that admit one in 15 s, 1,024 clients, one a slot, and some that are pinned to the first. */
function threeNodes(pinned: { hard: number; soft: number }, head: Partial<ZoneHead> = {}): Ledger {
  const ledger = new Ledger(aZone({ nodes: [], head }));
  ledger.admitEveryMs = everyMs;
  bringUp(ledger, [1, 2, 3]);
  ledger.counts = new Uint16Array(1_024).fill(1);
  ledger.setPins([{ index: 0, ...pinned }]);
  return ledger;
}

const slotsEnd = ({ zone }: Ledger): number => Math.max(...[...zone.turns.of.values()].map(endOf));

describe('the forecast of a zone in which client systems are pinned', () => {
  it('knows those who wait for a lost node and no other, of whom nobody can say when they are placed', () => {
    const ledger = threeNodes({ hard: 12, soft: 0 }, { remapAtOnce: true });
    lose(ledger, [1], at(60));

    const forecast = forecastOf(ledger.zone, counts, at(60))!;

    expect(forecast).toMatchObject({ at: slotsEnd(ledger), waiting: 12 });
    expect(forecast.because).toMatch(
      /^12 pinned to node1\.acme\.org wait for it; all others are placed in about 4\d min, because node[23]\.acme\.org admits one per 15 s$/,
    );
    expect(forecastView(ledger.zone, counts, at(60))).toEqual({ because: forecast.because });
    expect(forecastOf(ledger.zone, counts, at(9_000))).toEqual({ waiting: 12, because: '12 pinned to node1.acme.org wait for it' });
  });

  it('knows the turns of those who are pinned softly to it, behind all others', () => {
    const ledger = threeNodes({ hard: 0, soft: 400 }, { remapAtOnce: true });
    lose(ledger, [1], at(60));
    const { queue } = ledger.zone.pins.get(0)!;

    const forecast = forecastOf(ledger.zone, counts, at(60))!;

    expect(queue).toEqual({ at: slotsEnd(ledger), clients: 400, everyMs: everyMs / 2 });
    expect(forecast).toMatchObject({ at: queueEndOf(queue!), waiting: 0 });
    expect(forecast.because).toMatch(
      /^all placed in about 1 h 3\d min, because other nodes admit one client of node1\.acme\.org per 7\.5 s/,
    );
  });

  it('counts them while they are kept for it, and is no less than what comes then', () => {
    const ledger = threeNodes({ hard: 3, soft: 400 });
    lose(ledger, [1], at(60));
    const forecast = forecastOf(ledger.zone, counts, at(60))!;
    ledger.plan(at(660), []);

    const end = queueEndOf(ledger.zone.pins.get(0)!.queue!);

    expect(forecast.waiting).toBe(3);
    expect(forecast.at!).toBeGreaterThanOrEqual(end);
    expect(forecast.at! - at(660)).toBeLessThan(1.2 * (end - at(660)));
  });

  it('knows their turns at the node once that is back', () => {
    const ledger = threeNodes({ hard: 0, soft: 8 }, { remapAtOnce: true });
    lose(ledger, [1], at(60));
    hear(ledger, [1], at(9_000));
    const { awayAt, queue } = ledger.zone.pins.get(0)!;

    expect(awayAt).toBeUndefined();
    expect(queue).toEqual({ at: slotsEnd(ledger), clients: 8, everyMs });
    expect(forecastOf(ledger.zone, counts, at(9_000))).toMatchObject({ at: queueEndOf(queue!), waiting: 0 });
    expect(forecastOf(ledger.zone, counts, queueEndOf(queue!))).toBeUndefined();
  });
});

describe('the loss of a node to which client systems are pinned', () => {
  it('is over when the last of the soft ones has its turn elsewhere; the hard ones wait for it', () => {
    const ledger = threeNodes({ hard: 5, soft: 400 }, { remapAtOnce: true });
    const its = [...ledger.zone.map.owner].filter((index) => index === 0).length;
    lose(ledger, [1], at(60));
    const until = queueEndOf(ledger.zone.pins.get(0)!.queue!);
    expect(ledger.zone.head.recovering).toEqual([
      { index: 0, fqdn: nodeFqdn(1), since: at(60), clients: its + 400, placedAt: at(60), until },
    ]);
  });

  it('stays as it is when clients of the node are kept for it once more: whom it let go it has again when it is back', () => {
    const ledger = threeNodes({ hard: 0, soft: 8 }, { remapAtOnce: true });
    ledger.setPins([0, 1].map((index) => ({ index, hard: 0, soft: 8 })));
    calm(ledger, at(60));
    lose(ledger, [1, 2], at(60));
    const before = ledger.zone.pins;
    expect([...before.values()]).toMatchObject([{ awayAt: at(60) }, { awayAt: at(60) }]);
    const { remapAtOnce: _atOnce, ...usual } = ledger.zone.head;
    ledger.zone = { ...ledger.zone, head: usual };
    ledger.plan(at(62), []);

    expect(ledger.zone.head.kept).toEqual([{ index: 1, since: at(60), until: at(660) }]);
    expect(ledger.zone.pins).toEqual(before);
    hear(ledger, [2], at(120));

    expect([...ledger.zone.pins.values()].map(({ awayAt }) => awayAt)).toEqual([at(60), undefined]);
  });

  it.each([
    { soft: 8, has: 'stay away', awayAt: at(60) },
    { soft: 0, has: 'have it again, that nobody who is pinned softly from then on is sent away', awayAt: undefined },
  ])('and its return while an operator has frozen moves: $soft that it let go $has', ({ soft, awayAt }) => {
    const ledger = threeNodes({ hard: 5, soft }, { remapAtOnce: true });
    lose(ledger, [1], at(60));
    expect(ledger.zone.pins.get(0)).toMatchObject({ awayAt: at(60) });
    ledger.setHead({ brakes: { ...ledger.zone.head.brakes, freeze: 'moves' } });

    hear(ledger, [1], at(120));

    expect(ledger.zone.pins.get(0)!.awayAt).toBe(awayAt);
  });

  it('is late by the forecast when their turns take longer than the zone may take', () => {
    const ledger = threeNodes({ hard: 0, soft: 400 }, { remapAtOnce: true, rtoMs: 90 * minuteMs });
    lose(ledger, [1], at(60));
    expect(ledger.zone.head.recovering).toMatchObject([{ late: 'forecast' }]);
  });
});

describe('a node that drains and has client systems that are pinned to it softly', () => {
  const ordered = (ledger: Ledger, n: number) => ledger.read<Desired>('desired', nodeId(n))!.release;
  const everybody = ['web1', 'web2', 'web3'].map(fpOf);

  it('is told that they go, too, whatever their slots', () => {
    const ledger = aZoneOf(3);
    ledger.setPins([{ index: 1, hard: 1, soft: 2 }]);
    leave(ledger, [2]);
    const { mapVersion } = ledger.zone.head;
    const [slots, all] = ordered(ledger, 2);

    expect(slots).toMatchObject({ mapVersion, zoneSlots: 1_024 });
    expect(all).toEqual({ mapVersion, zoneSlots: 1, slots: [0] });
    expect(releasedBy([all!], everybody)).toEqual(everybody.toSorted());
  });

  it('is told of those who are pinned hard nothing: they stay', () => {
    const ledger = aZoneOf(3);
    ledger.setPins([{ index: 1, hard: 1, soft: 0 }]);
    leave(ledger, [2]);
    expect(ordered(ledger, 2)).toHaveLength(1);
  });

  it('goes only once it has said that it has told them, though it has no slots', () => {
    const ledger = aZoneOf(2);
    ledger.setHead({ mode: 'recovery' });
    bringUp(ledger, [3]);
    ledger.setPins([{ index: 2, hard: 0, soft: 2 }]);
    leave(ledger, [3], 'drain', at(60));
    const { version } = ledger.zone.head;
    expect(ordered(ledger, 3)).toEqual([{ mapVersion: version, zoneSlots: 1, slots: [0] }]);
    ledger.plan(at(70), [nodeId(3)]);
    expect(ledger.node(nodeId(3)).status).toBe('leaving');

    const node = ledger.node(nodeId(3)) as NodeIn<'leaving'>;
    ledger.put({ ...node, leaving: { ...node.leaving, releasedVersion: version }, awaitsPlan: true });
    ledger.plan(at(80));

    expect(ledger.node(nodeId(3))).toMatchObject({ status: 'dropped', planned: true });
  });
});

describe('a node that drains and has client systems that are pinned no more', () => {
  it('goes only once the last of them has had its turn elsewhere', () => {
    const ledger = aZoneOf(3);
    const left = { at: at(60), clients: 40, everyMs };
    ledger.setPins([{ index: 1, hard: 0, soft: 0, left }]);
    leave(ledger, [2], 'drain', at(60));
    const node = ledger.node(nodeId(2)) as NodeIn<'leaving'>;
    ledger.put({ ...node, leaving: { ...node.leaving, releasedVersion: ledger.zone.head.version }, awaitsPlan: true });
    ledger.plan(at(600));
    expect(ledger.node(nodeId(2))).toMatchObject({ status: 'leaving', leaving: { turnsUntil: queueEndOf(left) } });
    ledger.plan(queueEndOf(left), [nodeId(2)]);
    expect(ledger.node(nodeId(2))).toMatchObject({ status: 'dropped', planned: true });
  });
});

describe('the room of a zone', () => {
  it('is not taken by those who wait for a node that is not there', () => {
    const ledger = threeNodes({ hard: 12, soft: 5 }, { remapAtOnce: true });
    expect(clientsCounted(counts, ledger.zone, at(60))).toBe(1_024 + 17);
    lose(ledger, [1], at(60));
    expect(clientsCounted(counts, ledger.zone, at(60))).toBe(1_024 + 5);
    // A count that is made now has the soft ones among those of slots.
    expect(clientsCounted({ ...counts, at: at(60) }, ledger.zone, at(60))).toBe(1_024);
  });
});
