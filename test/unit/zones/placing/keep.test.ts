import { describe, expect, it } from 'vitest';
import { type EpochMs, minuteMs, plusMs, secondMs } from '../../../../lib/core/time.ts';
import { about, forecastOf } from '../../../../lib/zones/forecast.ts';
import { keepMsOf } from '../../../../lib/zones/placing/keep.ts';
import { slotsOwned } from '../../../../lib/zones/rows/loaded.ts';
import { endOf } from '../../../../lib/zones/turns/turn.ts';
import type { Counts, ZoneHead } from '../../../../lib/zones/zone.ts';
import { at, aZone, noon } from '../../../../tools/support/builders.ts';
import { Ledger } from '../ledger.ts';
import { bringUp, calm, hear, lose } from '../members.ts';

const everyMs = 15 * secondMs;
const owned = (ledger: Ledger) => [...slotsOwned(ledger.zone)];

/** Three nodes that admit one in 15 s, and 1,024 clients, one a slot. */
function threeNodes(head: Partial<ZoneHead> = {}, admitEveryMs = everyMs): Ledger {
  const ledger = new Ledger(aZone({ nodes: [], head }));
  ledger.admitEveryMs = admitEveryMs;
  bringUp(ledger, [1, 2, 3]);
  ledger.counts = new Uint16Array(1_024).fill(1);
  return ledger;
}
const counts: Counts = { at: noon, perSlot: new Uint8Array(2_048).map((_, i) => i % 2) };

describe('how long clients are kept for a node that is down', () => {
  const zone = (head: Partial<ZoneHead>, admitEveryMs?: number) => {
    const loaded = aZone({ head });
    return { ...loaded, members: loaded.members.map((member) => ({ ...member!, ...(admitEveryMs && { admitEveryMs }) })) };
  };

  it.each([
    ['ten minutes where the node admits one after another', zone({}, everyMs), 10 * minuteMs],
    ['not at all where it admits any number', zone({}), 0],
    ['as long as an operator says', zone({ remapAfterMs: 1_000 }, everyMs), 1_000],
    ['not at all when an operator says so', zone({ remapAtOnce: true }, everyMs), 0],
    ['ten minutes in recovery mode, free or not', zone({ mode: 'recovery' }), 10 * minuteMs],
    ['until it is back in recovery mode with hold', zone({ mode: 'recovery', meanwhile: 'hold', remapAfterMs: 5 }), undefined],
    ['as usual with hold in production mode', zone({ meanwhile: 'hold' }, everyMs), 10 * minuteMs],
  ])('is %s', (_, loaded, wanted) => {
    expect(keepMsOf(loaded, 0)).toBe(wanted);
  });
});

describe('a zone that loses a node whose clients are kept', () => {
  it('moves nothing for ten minutes, then everything, in turn', () => {
    const ledger = threeNodes();
    const before = owned(ledger);

    lose(ledger, [1], at(60));
    expect(owned(ledger)).toEqual(before);
    expect(ledger.zone.head.kept).toEqual([{ index: 0, since: at(60), until: at(660) }]);
    ledger.plan(at(659), []);
    expect(owned(ledger)).toEqual(before);
    ledger.plan(at(660), []);

    expect(owned(ledger)[0]).toBe(0);
    expect(ledger.zone.head.kept).toBeUndefined();
    expect(ledger.zone.turns.of.size).toBe(before[0]);
  });

  it('is due when that ends', () => {
    const ledger = threeNodes();

    const { changes } = lose(ledger, [1], at(60));

    const head = changes.find(({ ref }) => ref.noun === 'zone')!.decision;
    expect(head).toMatchObject({ does: 'write', wakeAt: at(660) });
  });

  it('is as before when the node is back in time', () => {
    const ledger = threeNodes();
    const { map } = ledger.zone;

    lose(ledger, [1], at(60));
    hear(ledger, [1], at(300));

    expect(ledger.zone.map).toEqual(map);
    expect(ledger.zone.head.kept).toBeUndefined();
    expect(ledger.zone.turns.of.size).toBe(0);
  });

  it('keeps what is kept, and since when, when a setting changes how long', () => {
    const ledger = threeNodes();
    lose(ledger, [1], at(60));
    ledger.zone = { ...ledger.zone, head: { ...ledger.zone.head, remapAfterMs: 20 * minuteMs } };

    ledger.plan(at(120), []);

    expect(ledger.zone.head.kept).toEqual([{ index: 0, since: at(60), until: plusMs(at(60), 20 * minuteMs) }]);
  });
});

describe('a zone that lost nodes when clients were kept for none', () => {
  /** It keeps them as usual from now on, or as a test says. */
  function keepNow(ledger: Ledger, now: EpochMs, given: Partial<ZoneHead> = {}): void {
    const { remapAtOnce: _atOnce, ...usual } = ledger.zone.head;
    ledger.zone = { ...ledger.zone, head: usual };
    ledger.setHead(given);
    ledger.plan(now, []);
  }

  it('keeps those that no other has yet as long as is set by now, from when their node was lost', () => {
    const ledger = threeNodes({ remapAtOnce: true });
    calm(ledger, at(60));
    lose(ledger, [1, 2, 3], at(60));
    const before = owned(ledger);
    expect(ledger.zone.head.kept).toBeUndefined();

    keepNow(ledger, at(100));
    expect(ledger.zone.head.kept).toEqual([0, 1, 2].map((index) => ({ index, since: at(60), until: at(660) })));
    bringUp(ledger, [4], { now: at(110) });

    expect(owned(ledger)).toEqual([...before, 0]);
  });

  it('does not where others have them, or that is over as well', () => {
    const ledger = threeNodes({ remapAtOnce: true });
    lose(ledger, [1], at(60));
    calm(ledger, at(70));
    lose(ledger, [2, 3], at(70));

    keepNow(ledger, at(130), { remapAfterMs: minuteMs });

    expect(ledger.zone.head.kept).toBeUndefined();
    keepNow(ledger, at(131), { mode: 'recovery', meanwhile: 'hold' });
    expect(ledger.zone.head.kept).toEqual([1, 2].map((index) => ({ index, since: at(70) })));
  });

  it('keeps those of one that was back in between from when it was lost last', () => {
    const ledger = threeNodes({ remapAtOnce: true });
    lose(ledger, [1], at(60));
    hear(ledger, [1], at(120));
    lose(ledger, [1], at(180));

    keepNow(ledger, at(181));

    expect(ledger.zone.head.kept).toEqual([{ index: 0, since: at(180), until: at(780) }]);
  });
});

describe('recovery mode', () => {
  it('moves the clients of a lost node elsewhere and back, and nobody else; homes stay', () => {
    const ledger = threeNodes({ mode: 'recovery' }, 0);
    const { owner, home } = ledger.zone.map;

    lose(ledger, [1], at(60));
    ledger.plan(at(660), []);
    expect([...ledger.zone.map.home]).toEqual([...home]);
    ledger.zone.map.owner.forEach((now, slot) => {
      if (owner[slot] !== 0) expect(now).toBe(owner[slot]);
      else expect(now).not.toBe(0);
    });
    hear(ledger, [1], at(2_000));

    expect([...ledger.zone.map.owner]).toEqual([...owner]);
    expect([...ledger.zone.map.home]).toEqual([...home]);
  });

  it('moves nobody with hold, however long the node is away, and does not give it up', () => {
    const ledger = threeNodes({ mode: 'recovery', meanwhile: 'hold' });
    const { owner } = ledger.zone.map;

    lose(ledger, [1], at(60));
    ledger.plan(at(86_400), ['n0000000000000001']);

    expect([...ledger.zone.map.owner]).toEqual([...owner]);
    expect(ledger.node('n0000000000000001').status).toBe('down');
  });

  it('gives whoever is back its home with hold, also from a node that was lost since and whose other clients wait', () => {
    const ledger = threeNodes({ mode: 'recovery' });
    const { home } = ledger.zone.map;
    const homesAt = (index: number) => [...ledger.zone.map.owner].filter((owner, slot) => owner !== home[slot] && owner === index);
    lose(ledger, [1], at(60));
    ledger.plan(at(660), []);
    expect(homesAt(1).length).toBeGreaterThan(0);
    ledger.setHead({ meanwhile: 'hold' });
    calm(ledger, at(700));
    lose(ledger, [2], at(700));
    hear(ledger, [1], at(800));

    expect(ledger.zone.head.kept).toEqual([{ index: 1, since: at(700) }]);
    expect([...ledger.zone.map.owner].filter((owner, slot) => owner !== home[slot])).toEqual([]);
  });

  it('takes nothing for whoever joins; that comes with production mode', () => {
    const ledger = new Ledger(aZone({ nodes: [], head: { mode: 'recovery' } }));
    bringUp(ledger, [1]);
    bringUp(ledger, [2]);
    expect(owned(ledger)).toEqual([1_024, 0]);

    ledger.zone = { ...ledger.zone, head: { ...ledger.zone.head, mode: 'production' } };
    bringUp(ledger, [3]);

    expect(Math.min(...owned(ledger))).toBeGreaterThan(300);
  });
});

describe('the forecast', () => {
  it('is the largest turn, and says whose', () => {
    const ledger = threeNodes({ remapAtOnce: true });
    lose(ledger, [1], at(60));
    const ends = [...ledger.zone.turns.of.values()].map(endOf);

    const forecast = forecastOf(ledger.zone, counts, at(60))!;

    expect(forecast.at).toBe(Math.max(...ends));
    expect(forecast.because).toMatch(/^all placed in about 4\d min, because node[23]\.acme\.org admits one per 15 s$/);
    expect(forecastOf(ledger.zone, counts, forecast.at!)).toBeUndefined();
  });

  it('counts from when nobody is kept any more, and is no less than what comes then', () => {
    const ledger = threeNodes();
    lose(ledger, [1], at(60));
    const forecast = forecastOf(ledger.zone, counts, at(60))!;
    ledger.plan(at(660), []);

    const ends = [...ledger.zone.turns.of.values()].map(endOf);

    expect(forecast.at).toBeGreaterThanOrEqual(Math.max(...ends));
    expect(forecast.at! - at(660)).toBeLessThan(1.2 * (Math.max(...ends) - at(660)));
    expect(forecast.because).toContain('the clients of node1.acme.org wait for it until');
  });

  it('is none where nobody waits', () => {
    expect(forecastOf(threeNodes().zone, counts, at(60))).toBeUndefined();
  });

  it.each([
    [40 * secondMs, '40 s'],
    [12 * minuteMs - 1, '12 min'],
    [190 * minuteMs, '3 h 10 min'],
    [180 * minuteMs, '3 h'],
  ])('says %i ms as %s', (ms, said) => {
    expect(about(ms)).toBe(said);
  });
});
