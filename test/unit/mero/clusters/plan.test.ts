import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plusMs } from '../../../../lib/core/time.ts';
import type { StorageCluster } from '../../../../lib/mero/clusters/cluster.ts';
import { lookMs, planLevels, slowLookMs } from '../../../../lib/mero/clusters/plan.ts';
import { type LevelProcess, runsNow } from '../../../../lib/mero/levels/levels.ts';
import { bootLevel } from '../../../../lib/mero/processes/process.ts';
import { noon } from '../../../../tools/support/builders.ts';
import { aCluster } from '../../../support/mero.ts';
import { cluster, rmsOf, seen } from './level-cluster.ts';

/** How long a level may take, unless a variable says otherwise. */
const stepMs = 600_000;
const online = (given: Partial<StorageCluster> = {}) => aCluster({ level: 0, reached: -1, underWaySince: noon, ...given });
const offline = (given: Partial<StorageCluster> = {}) => aCluster({ disposition: 'OFFLINE', reached: 3, underWaySince: noon, ...given });

/** The cluster after one step. */
function stepped(before: StorageCluster, processes: readonly LevelProcess[], now = plusMs(noon, 1_000)): StorageCluster {
  const { decision } = planLevels(before, processes, now);
  return decision.does === 'write' ? decision.next : before;
}

describe('a cluster on its way up', () => {
  test.each([
    {
      says: 'two of three confds are stopped: level 0 it stays',
      of: cluster('confd online', 'confd offline', 'confd offline', 'ios offline'),
      level: 0,
    },
    { says: 'half of the confds is no quorum', of: cluster('confd online', 'confd failed', 'ios offline'), level: 0 },
    {
      says: 'two of three confds are online, and one is the principal',
      of: cluster('confd online', 'confd online', 'confd offline', 'ios offline'),
      level: 1,
    },
    { says: 'no confd at all counts as satisfied', of: cluster('ios offline'), level: 1 },
    {
      says: 'confds that are online but have no resource manager',
      of: [seen(1, 'confd', 'online', { services: [] }), seen(2, 'ios', 'offline')],
      level: 0,
    },
    {
      says: 'confds that an operator stopped count to the whole',
      of: [seen(1, 'confd', 'online'), seen(2, 'confd', 'offline', { isUnwanted: true })],
      level: 0,
    },
  ])('$says', ({ of, level }) => {
    expect(stepped(online(), of).level).toBe(level);
  });

  test.each([
    { says: 'one of level 1 is starting', of: cluster('confd online', 'ios online', 'ios starting'), from: 1, level: 1 },
    { says: 'one of level 1 is on a host that is down', of: cluster('confd online', 'ios online', 'ios inhibited'), from: 1, level: 1 },
    {
      says: 'one of level 1 was stopped by an operator',
      of: [seen(1, 'ios', 'online'), seen(2, 'ios', 'offline', { isUnwanted: true })],
      from: 1,
      level: 2,
    },
    { says: 'all of level 1 are online', of: cluster('confd online', 'ios online', 'ios online'), from: 1, level: 2 },
    { says: 'kernel clients are not waited for', of: cluster('cas online', 'm0t1fs offline', 's3server offline'), from: 2, level: 3 },
    { says: 'who hosts CAS is', of: cluster('cas failed', 'ios online', 's3server offline'), from: 2, level: 2 },
    { says: 'another server is not', of: cluster('cas online', 'ios failed', 's3server offline'), from: 2, level: 3 },
  ] as const)('$says', ({ of, from, level }) => {
    expect(stepped(online({ level: from }), of).level).toBe(level);
  });

  test('a level is one write: level, principal and what was reached, and every node is told by one number', () => {
    const processes = cluster('confd online', 'confd online', 'confd offline', 'ios offline');
    const now = plusMs(noon, 5_000);
    const { decision, awaited } = planLevels(online({ goals: 7 }), processes, now);
    const next = { ...online({ goals: 8 }), level: 1, levelSince: now, underWaySince: now, reached: 0, principal: rmsOf(1) };
    const because = `ONLINE, level 1 of 3: waits for ${processes[2]!.fid} on host3.acme.org (offline), ${processes[3]!.fid} on host4.acme.org (offline)`;
    const events = [{ type: 'cluster.level-reached', version: 1, data: { zone: 'storage', level: 0 } }];
    expect(decision).toEqual({ does: 'write', next, events, because, wakeAt: plusMs(now, lookMs) });
    expect(awaited.map(({ fid }) => fid)).toEqual([processes[2]!.fid, processes[3]!.fid]);
  });

  test('without a quorum it says what it lacks', () => {
    const { decision } = planLevels(online(), cluster('confd online', 'confd failed'), noon);
    expect(decision.because).toBe(
      `ONLINE, level 0 of 3: 1 of 2 confds are online, more than half are needed, and ${rmsOf(1)} is the principal resource manager; waits for 0x7200000000000001:0x2 on host2.acme.org (failed)`,
    );
  });

  test('a principal whose confd is lost is replaced by another one, and comes back as nothing', () => {
    const both = online({ level: 1, principal: rmsOf(1) });
    expect(stepped(both, cluster('confd failed', 'confd online', 'confd online', 'ios offline')).principal).toBe(rmsOf(2));
    expect(stepped(online({ level: 1, principal: rmsOf(2) }), cluster('confd online', 'confd online')).principal).toBe(rmsOf(2));
    expect(stepped(both, cluster('confd failed', 'confd failed')).principal).toBeUndefined();
  });

  test('it says so when confds that an operator has stopped are too few, and nobody is waited for', () => {
    const isUnwanted = { isUnwanted: true };
    const processes = [seen(1, 'confd', 'online'), seen(2, 'confd', 'offline', isUnwanted), seen(3, 'ios', 'online')];
    const { decision, awaited } = planLevels(online({ level: 3, reached: 3 }), processes, noon);
    expect(awaited).toEqual([]);
    expect(decision).toMatchObject({ does: 'write', next: { level: 3, reached: -1 } });
    expect(decision.because).toBe(
      `ONLINE, level 3 of 3: 1 of 2 confds are online, more than half are needed, and ${rmsOf(1)} is the principal resource manager`,
    );
  });

  test('it never goes down because something failed: what was reached falls, and is told again once it is back', () => {
    const all = aCluster({ level: 3, reached: 3, principal: rmsOf(1) });
    const later = plusMs(noon, 60_000);
    const hurt = stepped(all, cluster('confd online', 'ios failed'), later);
    expect(hurt).toEqual({ ...all, reached: 0, underWaySince: later });
    const { decision } = planLevels(hurt, cluster('confd online', 'ios online'), plusMs(later, 1_000));
    expect(decision).toMatchObject({ next: all, events: [{ data: { level: 3 } }], wakeAt: plusMs(later, 1_000 + slowLookMs) });
  });

  test('a confd that is missed while the others agree is waited for, and holds up nothing', () => {
    const { decision, awaited } = planLevels(
      online({ level: 3, reached: 3, principal: rmsOf(1) }),
      cluster('confd online', 'confd online', 'confd failed'),
      noon,
    );
    expect(awaited).toHaveLength(1);
    expect(decision).toMatchObject({ does: 'nothing' });
  });

  test('a step that takes too long is looked at less often, and goes on waiting', () => {
    const processes = cluster('confd starting', 'ios offline');
    const late = plusMs(noon, stepMs);
    expect(planLevels(online(), processes, plusMs(late, -1_000)).decision.does).toBe('nothing');
    expect(planLevels(online(), processes, plusMs(late, -1_000)).decision).toMatchObject({ wakeAt: late });
    expect(planLevels(online(), processes, late).decision).toMatchObject({ does: 'nothing', wakeAt: plusMs(late, slowLookMs) });
    const patient = online({ vars: { node_stop_barrier_timeout: 1_200 } });
    expect(planLevels(patient, processes, late).decision).toMatchObject({ does: 'nothing', wakeAt: plusMs(late, lookMs) });
  });
});

describe('a cluster on its way down', () => {
  test.each([
    { says: 'nothing above runs', of: cluster('confd online', 'ios online', 'm0t1fs online', 's3server offline'), from: 2, level: 1 },
    { says: 'one above has not stopped yet', of: cluster('confd online', 'm0t1fs stopping'), from: 1, level: 1 },
    { says: 'one above has failed', of: cluster('confd online', 'm0t1fs failed'), from: 1, level: 0 },
    { says: 'one above is on a host that is down', of: cluster('confd online', 'm0t1fs inhibited'), from: 1, level: 0 },
    { says: 'an application that is its own master runs', of: cluster('app online', 'halon online', 'confd online'), from: 0, level: -1 },
    { says: 'of one above nothing is known', of: cluster('m0t1fs unknown', 'confd online'), from: 1, level: 1 },
    { says: 'of one above nothing is known, nor of its host', of: [seen(1, 'm0t1fs', 'unknown', { isAway: true })], from: 1, level: 0 },
  ] as const)('$says', ({ of, from, level }) => {
    expect(stepped(offline({ level: from }), of).level).toBe(level);
  });

  test('stopped is stopped: it is not looked at any more', () => {
    const down = offline({ level: -1, reached: 0 });
    const processes = cluster('confd offline', 'ios offline', 'app online', 'halon online');
    const { underWaySince: _done, ...rest } = down;
    expect(planLevels(down, processes, noon).decision).toEqual({
      does: 'write',
      next: { ...rest, reached: -1 },
      events: [{ type: 'cluster.level-reached', version: 1, data: { zone: 'storage', level: -1 } }],
      because: 'OFFLINE, down to level -1: nothing above runs',
    });
  });

  test('whoever does not stop is waited for, unless an operator insists: then its time is 10 minutes, once', () => {
    const processes = cluster('confd online', 'ios online', 'm0t1fs online');
    const late = plusMs(noon, stepMs);
    expect(stepped(offline({ level: 1 }), processes, late).level).toBe(1);
    expect(stepped(offline({ level: 1, forced: true }), processes, plusMs(late, -1)).level).toBe(1);
    const left = stepped(offline({ level: 1, forced: true }), processes, late);
    expect(left.level).toBe(0);
    expect(stepped(left, cluster('confd online', 'ios offline', 'm0t1fs online'), plusMs(late, 1_000)).level).toBe(-1);
  });
});

const states = ['unknown', 'offline', 'starting', 'online', 'quiescing', 'stopping', 'failed', 'inhibited'] as const;
const anyProcess = fc.record({
  kind: fc.constantFrom('halon', 'confd', 'ios', 'cas', 'm0t1fs', 's3server', 'app'),
  state: fc.constantFrom(...states),
  isUnwanted: fc.boolean(),
});
const anyProcesses = fc
  .array(anyProcess, { maxLength: 12 })
  .map((all) => all.map(({ kind, state, isUnwanted }, n) => seen(n + 1, kind, state, { isUnwanted })));
const anyCluster = fc
  .record({
    disposition: fc.constantFrom('ONLINE', 'OFFLINE'),
    level: fc.integer({ min: -1, max: 3 }),
    reached: fc.integer({ min: -1, max: 3 }),
  })
  .map((given) => aCluster(given));

describe('whatever the processes do', () => {
  test('a level moves by one at the most, only towards what is wanted, and by one number more', () => {
    fc.assert(
      fc.property(anyCluster, anyProcesses, (before, processes) => {
        const after = stepped(before, processes);
        const moved = after.level - before.level;
        expect([0, before.disposition === 'ONLINE' ? 1 : -1]).toContain(moved);
        expect(after.goals - before.goals).toBe(Math.abs(moved));
      }),
    );
  });

  test('what nobody drives changes nothing', () => {
    fc.assert(
      fc.property(anyCluster, anyProcesses, (before, processes) => {
        const driven = processes.filter((process) => bootLevel(process) !== undefined);
        expect(planLevels(before, processes, noon).decision).toEqual(planLevels(before, driven, noon).decision);
      }),
    );
  });

  test('a stop ends at −1 with nothing running, as long as what is told to stop does', () => {
    fc.assert(
      fc.property(anyCluster, anyProcesses, (given, some) => {
        let now = noon;
        let state: StorageCluster = { ...given, disposition: 'OFFLINE', underWaySince: now };
        let processes: readonly LevelProcess[] = some;
        for (let step = 0; step < 6; step++) {
          now = plusMs(now, 5_000);
          state = stepped(state, processes, now);
          const { level } = state;
          processes = processes.map((one) => (runsNow(one) && bootLevel(one)! > level ? { ...one, state: 'offline' } : one));
        }
        expect(planLevels(state, processes, now)).toMatchObject({ awaited: [], decision: { does: 'nothing' } });
        expect(state).toMatchObject({ level: -1, reached: -1 });
        expect(planLevels(state, processes, now).decision).not.toHaveProperty('wakeAt');
      }),
    );
  });

  test('a start ends at 3 with everything running, as long as what is told to run does', () => {
    fc.assert(
      fc.property(anyProcesses, (some) => {
        let processes: readonly LevelProcess[] = some.map((one) => ({ ...one, isAway: false, isUnwanted: false, state: 'offline' }));
        let state = online();
        for (let step = 0; step < 5; step++) {
          const { level } = state;
          processes = processes.map((one) =>
            bootLevel(one) !== undefined && bootLevel(one)! <= level ? { ...one, state: 'online' } : one,
          );
          state = stepped(state, processes);
        }
        expect(state).toMatchObject({ level: 3, reached: 3 });
      }),
    );
  });
});
