import { describe, expect, it } from 'vitest';
import type { Concluded, Plan } from '../../../../lib/core/decision.ts';
import { hourMs, minuteMs, plusMs, secondMs } from '../../../../lib/core/time.ts';
import { recoveriesView, recoveryDueAt } from '../../../../lib/zones/placing/recovery.ts';
import { endOf } from '../../../../lib/zones/turns/turn.ts';
import type { ZoneHead } from '../../../../lib/zones/zone.ts';
import { at, aZone, nodeFqdn } from '../../../../tools/support/builders.ts';
import { Ledger } from '../ledger.ts';
import { bringUp, calm, hear, lose } from '../members.ts';

const everyMs = 15 * secondMs;

/** Three nodes and 1,024 clients, one a slot. */
function threeNodes(head: Partial<ZoneHead> = {}, admitEveryMs = 0): Ledger {
  const ledger = new Ledger(aZone({ nodes: [], head }));
  ledger.admitEveryMs = admitEveryMs;
  bringUp(ledger, [1, 2, 3]);
  ledger.counts = new Uint16Array(1_024).fill(1);
  return ledger;
}
const eventsOf = ({ changes }: Plan): Concluded[] =>
  changes
    .flatMap(({ decision }) => (decision.does === 'write' ? [...decision.events] : []))
    .filter(({ type }) => type.startsWith('zone.reco'));
const lastTurn = (ledger: Ledger) =>
  [...ledger.zone.turns.of.values()].reduce((last, turn) => (endOf(turn) > last ? endOf(turn) : last), at(0));

describe('a loss whose clients go elsewhere at once', () => {
  it('is over in the plan that moves them, and costs no plan more', () => {
    const ledger = threeNodes({ remapAtOnce: true });

    const done = lose(ledger, [1], at(60));

    expect(ledger.zone.head.recovering).toBeUndefined();
    expect(ledger.zone.head.recovered).toEqual([{ fqdn: nodeFqdn(1), since: at(60), clients: 342, at: at(60) }]);
    expect(eventsOf(done)).toMatchObject([{ type: 'zone.recovered', data: { fqdn: nodeFqdn(1), about: 342, late: false } }]);
  });

  it('is told of the last three alone', () => {
    const ledger = new Ledger(aZone({ nodes: [], head: { remapAtOnce: true } }));
    bringUp(ledger, [1, 2, 3, 4, 5, 6]);
    calm(ledger, at(10_000));
    for (const n of [1, 2, 3, 4]) lose(ledger, [n], at(60 * n));
    expect(ledger.zone.head.recovered!.map(({ fqdn }) => fqdn)).toEqual([2, 3, 4].map(nodeFqdn));
  });

  it('is none where the node had no slots', () => {
    const ledger = new Ledger(aZone({ nodes: [], head: { mode: 'recovery', remapAtOnce: true } }));
    bringUp(ledger, [1]);
    bringUp(ledger, [2]);
    expect(eventsOf(lose(ledger, [2], at(60)))).toEqual([]);
    expect(ledger.zone.head.recovered).toBeUndefined();
  });
});

describe('a loss whose clients wait for their turns', () => {
  it('is over when the last of them has had its turn, and the head is due then', () => {
    const ledger = threeNodes({ remapAtOnce: true }, everyMs);
    lose(ledger, [1], at(60));
    const end = lastTurn(ledger);

    expect(ledger.zone.head.recovering).toMatchObject([{ index: 0, since: at(60), placedAt: at(60), until: end }]);
    expect(recoveryDueAt(ledger.zone.head)).toBe(end);
    expect(eventsOf(ledger.plan(plusMs(end, -1), []))).toEqual([]);
    expect(eventsOf(ledger.plan(end, []))).toMatchObject([{ type: 'zone.recovered', data: { at: end } }]);
    expect(ledger.zone.head.recovered).toMatchObject([{ at: end }]);
  });

  it('lasts longer when a node that they wait for is lost, too', () => {
    const ledger = threeNodes({ remapAtOnce: true }, everyMs);
    lose(ledger, [1], at(60));
    const [first] = ledger.zone.head.recovering!;
    calm(ledger, at(10_000));
    lose(ledger, [2], at(120));
    const [, second] = ledger.zone.head.recovering!;
    expect(second).toMatchObject({ fqdn: nodeFqdn(2), since: at(120) });
    expect(second).not.toHaveProperty('until');
    for (let s = 180; s < 3_600; s += 60) ledger.plan(at(s), []);
    const later = ledger.zone.head.recovering!.find(({ fqdn }) => fqdn === nodeFqdn(2))!;
    expect(later.until).toBe(lastTurn(ledger));
    expect(later.until!).toBeGreaterThan(first!.until!);
  });
});

describe('a loss whose clients are kept', () => {
  it('is not over while a slot is the lost node’s, and is when that is back', () => {
    const ledger = threeNodes({ mode: 'recovery', meanwhile: 'hold' });
    lose(ledger, [1], at(60));
    expect(ledger.zone.head.recovering).toEqual([{ index: 0, fqdn: nodeFqdn(1), since: at(60), clients: 342 }]);

    expect(eventsOf(hear(ledger, [1], at(2_000)))).toMatchObject([{ type: 'zone.recovered', data: { since: at(60), at: at(2_000) } }]);
  });

  it('begins when the node was lost first, although it was back in between', () => {
    const ledger = threeNodes({ remapAtOnce: true }, everyMs);
    lose(ledger, [1], at(60));
    hear(ledger, [1], at(120));
    lose(ledger, [1], at(180));
    expect(ledger.zone.head.recovering!.at(-1)).toMatchObject({ fqdn: nodeFqdn(1), since: at(60), againAt: at(180) });
  });
});

describe('a zone with an RTO', () => {
  it('says at once that it will be late, by the forecast, and once that it is', () => {
    const ledger = threeNodes({ remapAtOnce: true, rtoMs: 10 * minuteMs }, everyMs);

    const lost = lose(ledger, [1], at(60));
    const end = lastTurn(ledger);
    expect(eventsOf(lost)).toEqual([
      {
        type: 'zone.recovery-late',
        version: 1,
        data: { zone: 'default', fqdn: nodeFqdn(1), since: at(60), rtoMs: 600_000, by: 'forecast', expectedAt: end },
      },
    ]);
    const limit = plusMs(at(60), 10 * minuteMs + 1);
    expect(recoveryDueAt(ledger.zone.head)).toBe(limit);
    expect(eventsOf(ledger.plan(limit, []))).toMatchObject([{ type: 'zone.recovery-late', data: { by: 'actual' } }]);
    expect(eventsOf(ledger.plan(plusMs(limit, 1), []))).toEqual([]);
    expect(recoveryDueAt(ledger.zone.head)).toBe(end);
    expect(recoveriesView(ledger.zone.head, limit)).toMatchObject([{ over: false, late: true }]);
    expect(eventsOf(ledger.plan(end, []))).toMatchObject([{ type: 'zone.recovered', data: { late: true, rtoMs: 600_000 } }]);
    expect(recoveriesView(ledger.zone.head, end)).toMatchObject([{ over: true, late: true }]);
  });

  it('knows while clients are kept what comes after', () => {
    const ledger = threeNodes({ rtoMs: 20 * minuteMs }, everyMs);
    expect(eventsOf(lose(ledger, [1], at(60)))).toMatchObject([{ data: { by: 'forecast' } }]);
    expect(ledger.zone.head.kept).toHaveLength(1);
  });

  it('says so when the time has passed, where nobody could say before', () => {
    const ledger = threeNodes({ mode: 'recovery', meanwhile: 'hold', rtoMs: hourMs });
    expect(eventsOf(lose(ledger, [1], at(60)))).toEqual([]);
    expect(eventsOf(ledger.plan(at(3_661), []))).toMatchObject([{ data: { by: 'actual', since: at(60) } }]);
  });

  it('is quiet about what is fast enough, and about what was late before it had one', () => {
    const ledger = threeNodes({ remapAtOnce: true, rtoMs: 24 * hourMs }, everyMs);
    expect(eventsOf(lose(ledger, [1], at(60)))).toEqual([]);
    ledger.setHead({ rtoMs: undefined as never });
    expect(eventsOf(ledger.plan(plusMs(at(60), 30 * hourMs), []))).toMatchObject([{ type: 'zone.recovered', data: { late: false } }]);
  });
});
