import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EpochMs } from '../../../lib/core/time.ts';
import { minuteMs } from '../../../lib/core/time.ts';
import type { NodeView } from '../../../lib/nodes/admin-routes.ts';
import { type LoadPoint, type Loads, loadsMax, pointsOf, withPoint } from '../../../lib/nodes/rows/loads.ts';
import { Agent } from '../../../tools/support/players.ts';
import { stepped } from '../../../tools/support/stepped.ts';

const start = 1_777_636_800_000;
const at = (seconds: number): EpochMs => (start + seconds * 1_000) as EpochMs;
const taken = (points: readonly LoadPoint[], room = 1_000): Loads | undefined =>
  points.reduce<Loads | undefined>((loads, point) => withPoint(loads, point, () => room), undefined);
const minutes = (loads: Loads | undefined): [minute: number, load: number][] =>
  (loads ? pointsOf(loads) : []).map((point) => [(point.at - start) / minuteMs, point.load]);

describe('the loads of a node', () => {
  it('have one point a minute, the last that was heard in it, and none of a minute without a heartbeat', () => {
    const points = [
      { at: at(0), load: 1 },
      { at: at(30), load: 2 },
      { at: at(60), load: 0 },
      { at: at(250), load: 8 },
    ];
    expect(minutes(taken(points))).toEqual([
      [0, 2.08],
      [1, 0],
      [4, 7.96],
    ]);
  });

  it('go on for an hour, and begin anew after an hour of silence', () => {
    const many = Array.from({ length: 100 }, (_, n) => ({ at: at(n * 60), load: 1 }));
    expect(minutes(taken(many))).toHaveLength(loadsMax);
    expect(minutes(taken(many))[0]?.[0]).toBe(40);
    expect(minutes(taken([...many, { at: at(100 * 60 + 3_600), load: 3 }]))).toEqual([[160, 3.1]]);
  });

  it('leave a heartbeat out that was received before the last', () => {
    expect(
      minutes(
        taken([
          { at: at(90), load: 4 },
          { at: at(70), load: 1 },
          { at: at(10), load: 1 },
        ]),
      ),
    ).toEqual([[1, 3.93]]);
  });

  it('are about what was reported, within 4 % beyond a load of 1, and never longer than there is room', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ after: fc.integer({ min: 1, max: 900 }), load: fc.double({ min: 0, max: 100, noNaN: true }) }), {
          minLength: 1,
        }),
        fc.integer({ min: 0, max: 120 }),
        (given, room) => {
          let seconds = 0;
          const points = given.map(({ after, load }) => {
            seconds += after;
            return { at: at(seconds), load };
          });
          const loads = taken(points, room);
          expect(loads?.points.length ?? 0).toBeLessThanOrEqual(Math.max(0, Math.min(loadsMax, room - 32)));
          const last = points.at(-1);
          const shown = loads && pointsOf(loads).at(-1);
          if (shown && last) expect(Math.abs(shown.load - last.load)).toBeLessThanOrEqual(0.04 * last.load + 0.01);
          for (const point of loads ? pointsOf(loads) : [])
            expect(point.at).toBeGreaterThan((last?.at ?? 0) - loadsMax * minuteMs - minuteMs);
        },
      ),
    );
  });

  it('are in the view of the node, and not in the list of nodes', async () => {
    const world = await stepped();
    const node1 = await new Agent(world, 'node1.acme.org').start();
    await world.step(5 * minuteMs);
    const { body } = await world.call('GET', `/api/v1/nodes/${node1.id}`);
    const { loads = [] } = body as NodeView;

    expect(loads.length).toBeGreaterThanOrEqual(5);
    expect(new Set(loads.map(({ load }) => load))).toEqual(new Set([0.49]));
    expect(Date.parse(loads.at(-1)?.at ?? '')).toBeGreaterThan(world.now() - 2 * minuteMs);
    const { body: list } = await world.call('GET', '/api/v1/nodes');
    expect((list as { items: NodeView[] }).items[0]).not.toHaveProperty('loads');
  });
});
