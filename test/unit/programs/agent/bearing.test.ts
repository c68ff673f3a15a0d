import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bearing } from '../../../../events/reported/node.ts';
import { hourMs, minuteMs, plusMs, secondMs } from '../../../../lib/core/time.ts';
import { AskedBearing, BearingMeter } from '../../../../programs/agent/bearing.ts';
import { noon } from '../../../../tools/support/builders.ts';

/** A meter on a clock that is stepped. */
function aMeter() {
  let now = noon;
  const meter = new BearingMeter({ now: () => now, cpus: () => 8 });
  return {
    meter,
    step: (ms: number) => {
      now = plusMs(now, ms);
    },
    /** The report of a heartbeat that is answered. */
    report: (): Bearing => {
      const bearing = Bearing.parse(meter.read());
      meter.acknowledged();
      return bearing;
    },
  };
}

describe('the meter of what a node bears', () => {
  it('counts who was accepted and had a first job since the last report, and who waits', () => {
    const { meter, step, report } = aMeter();
    for (const name of ['a', 'b', 'c', 'd']) meter.accepted(name);
    step(4 * secondMs);
    meter.ready('a');
    step(2 * secondMs);
    meter.ready('b');
    meter.ready('c');
    step(4 * secondMs);

    expect(report()).toEqual({ overMs: 10_000, accepted: 4, ready: 3, medianMs: 6_000, p90Ms: 6_000, waiting: 1, overdue: 0, cpus: 8 });
    step(10 * secondMs);
    expect(report()).toEqual({ overMs: 10_000, accepted: 0, ready: 0, waiting: 1, overdue: 0, cpus: 8 });
  });

  it('counts the first job alone, and none of a client system that was here before', () => {
    const { meter, step, report } = aMeter();
    meter.accepted('a');
    step(secondMs);
    for (const name of ['a', 'a', 'long here']) meter.ready(name);
    expect(report()).toMatchObject({ accepted: 1, ready: 1, waiting: 0 });
  });

  it('keeps for the next report what was in one that was not answered', () => {
    const { meter, step, report } = aMeter();
    meter.accepted('a');
    step(10 * secondMs);
    meter.read();
    meter.accepted('b');
    step(10 * secondMs);
    expect(report()).toMatchObject({ overMs: 20_000, accepted: 2, waiting: 2 });
  });

  it('takes a client system for overdue after four times what others took, and counts its first job all the same', () => {
    const { meter, step, report } = aMeter();
    meter.accepted('quick');
    meter.accepted('slow');
    step(20 * secondMs);
    meter.ready('quick');
    step(50 * secondMs);
    expect(report()).toMatchObject({ waiting: 1, overdue: 0 });
    step(20 * secondMs);
    expect(report()).toMatchObject({ waiting: 0, overdue: 1 });
    expect(report()).toMatchObject({ waiting: 0, overdue: 0 });
    step(5 * minuteMs);
    meter.ready('slow');
    expect(report()).toMatchObject({ ready: 1, p90Ms: 390_000 });
  });

  it('forgets after an hour who never had a job', () => {
    const { meter, step, report } = aMeter();
    meter.accepted('broken');
    step(6 * minuteMs);
    expect(report().overdue).toBe(1);
    step(hourMs);
    report();
    meter.ready('broken');
    expect(report().ready).toBe(0);
  });

  it('makes reports that Muster takes, whatever happens', () => {
    const name = fc.nat(20).map(String);
    const happens = fc.oneof(
      fc.record({ does: fc.constant('accepted' as const), name }),
      fc.record({ does: fc.constant('ready' as const), name }),
      fc.record({ does: fc.constant('step' as const), ms: fc.nat(2 * hourMs) }),
      fc.record({ does: fc.constant('read' as const) }),
      fc.record({ does: fc.constant('report' as const) }),
    );
    fc.assert(
      fc.property(fc.array(happens), (all) => {
        const { meter, step, report } = aMeter();
        const sum = { accepted: 0, reported: 0, ready: 0 };
        const take = ({ accepted, ready }: Bearing): void => {
          sum.reported += accepted;
          sum.ready += ready;
        };
        const play: { readonly [K in (typeof all)[number]['does']]: (one: Extract<(typeof all)[number], { does: K }>) => void } = {
          accepted: ({ name: who }) => {
            sum.accepted += 1;
            meter.accepted(who);
          },
          ready: ({ name: who }) => meter.ready(who),
          step: ({ ms }) => step(ms),
          read: () => void Bearing.parse(meter.read()),
          report: () => take(report()),
        };
        for (const one of all) (play[one.does] as (given: typeof one) => void)(one);
        take(report());
        expect(sum.reported).toBe(sum.accepted);
        expect(sum.ready).toBeLessThanOrEqual(sum.accepted);
      }),
      { seed: 7 },
    );
  });
});

describe('a heartbeat', () => {
  it('carries the bearing only while Muster asks for it, and never what was before', () => {
    const { meter, step } = aMeter();
    const asked = new AskedBearing(meter);
    meter.accepted('a');
    step(10 * secondMs);
    expect(asked.next()).toBeUndefined();
    asked.answered(true);
    meter.accepted('b');
    step(10 * secondMs);
    expect(asked.next()).toMatchObject({ overMs: 10_000, accepted: 1, waiting: 2 });
    asked.answered(false);
    expect(asked.next()).toBeUndefined();
  });
});
