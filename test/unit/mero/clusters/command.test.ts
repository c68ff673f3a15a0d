import { describe, expect, test } from 'vitest';
import { nothing } from '../../../../lib/core/decision.ts';
import { type ClusterCommand, decideCluster } from '../../../../lib/mero/clusters/command.ts';
import { planLevels } from '../../../../lib/mero/clusters/plan.ts';
import { at, noon } from '../../../../tools/support/builders.ts';
import { aCluster } from '../../../support/mero.ts';

const size = { nodes: 1, processes: 4, services: 6, devices: 2 };
const loaded = { load: 'l1', identity: 'i', at: noon, size };
const stopped = aCluster({ loaded, disposition: 'OFFLINE', level: -1, reached: -1, goals: 4 });
const running = aCluster({ loaded, level: 3, reached: 3, goals: 4 });
const say = (type: ClusterCommand['type'], more: object = {}) => ({ type, id: 'r1', ...more }) as ClusterCommand;
const disposed = (disposition: string) => [{ type: 'cluster.disposed', version: 1, data: { zone: 'storage', disposition } }];

describe('start', () => {
  test('a stopped cluster is to be ONLINE, and its confds start with that', () => {
    expect(decideCluster(stopped, say('start'), at(5))).toEqual({
      does: 'write',
      next: { ...stopped, disposition: 'ONLINE', level: 0, levelSince: at(5), underWaySince: at(5), goals: 5 },
      events: disposed('ONLINE'),
      because: 'an operator set the cluster to ONLINE',
      wakeAt: at(5),
    });
  });

  test('where there are stations the first level waits for a majority of them, as any other', () => {
    const { next, wakeAt } = decideCluster({ ...stopped, stations: true }, say('start'), at(5)) as never as {
      next: unknown;
      wakeAt: unknown;
    };
    expect([next, wakeAt]).toEqual([{ ...stopped, stations: true, disposition: 'ONLINE', underWaySince: at(5) }, at(5)]);
    const online = { ...stopped, stations: true as const, disposition: 'ONLINE' as const };
    expect(planLevels(online, [], at(10), 'no quorum')).toMatchObject({ decision: { next: { level: -1 } } });
    expect(planLevels(online, [], at(10))).toMatchObject({ decision: { next: { level: 0 } } });
  });

  test('a cluster that is being stopped turns around where it is', () => {
    const half = { ...running, disposition: 'OFFLINE' as const, level: 1 as const, underWaySince: noon, forced: true as const };
    const { forced: _over, ...rest } = half;
    expect(decideCluster(half, say('start'), at(5))).toMatchObject({ next: { ...rest, disposition: 'ONLINE', underWaySince: at(5) } });
    expect(decideCluster(half, say('start'), at(5))).not.toHaveProperty('next.forced');
  });

  test('needs what is to be started, and is said once', () => {
    expect(decideCluster(stopped, say('start', { isEmpty: true }), noon)).toEqual(nothing('Initial data not loaded.'));
    expect(decideCluster(running, say('start'), noon)).toEqual(nothing('the cluster is already set to ONLINE'));
    expect(decideCluster(undefined, say('start'), noon)).toEqual(nothing('there is no such storage cluster'));
  });
});

describe('stop', () => {
  test('a cluster that runs is to be OFFLINE, and the sweep takes its levels down', () => {
    expect(decideCluster(running, say('stop', { reason: 'new racks' }), at(5))).toEqual({
      does: 'write',
      next: { ...running, disposition: 'OFFLINE', underWaySince: at(5) },
      events: disposed('OFFLINE'),
      because: 'an operator set the cluster to OFFLINE: new racks',
      wakeAt: at(5),
    });
  });

  test('is said once, but insisting is something new', () => {
    const stopping = { ...running, disposition: 'OFFLINE' as const, underWaySince: noon };
    expect(decideCluster(stopping, say('stop'), at(5))).toEqual(nothing('the cluster is already set to OFFLINE'));
    expect(decideCluster(stopping, say('stop', { forced: true }), at(5))).toMatchObject({ next: { forced: true }, events: [] });
  });
});

describe('reset', () => {
  test('forgets what a stopped cluster is doing', () => {
    expect(decideCluster({ ...stopped, forced: true }, say('reset'), at(5))).toEqual({
      does: 'write',
      next: { ...stopped, reached: 3, underWaySince: at(5) },
      events: [],
      because: 'an operator reset the cluster: processes are unknown until their hosts report them',
      wakeAt: at(5),
    });
  });

  test('is refused while anything may run, unless it is hard', () => {
    const said = 'the cluster is not stopped: stop it first, or reset it hard';
    expect(decideCluster(running, say('reset'), at(5))).toEqual(nothing(said));
    expect(decideCluster({ ...stopped, underWaySince: noon }, say('reset'), at(5))).toEqual(nothing(said));
    expect(decideCluster(running, say('reset', { hard: true }), at(5))).toMatchObject({
      next: { disposition: 'OFFLINE', level: -1, levelSince: at(5), goals: 5 },
      events: disposed('OFFLINE'),
    });
  });
});

test('unstick gives what is late its time again', () => {
  expect(decideCluster(running, say('unstick'), at(5))).toEqual(nothing('nothing is under way'));
  const late = { ...running, level: 1 as const, underWaySince: noon };
  expect(decideCluster(late, say('unstick'), at(900))).toMatchObject({ next: { ...late, underWaySince: at(900) }, wakeAt: at(900) });
});
