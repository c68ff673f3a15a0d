import { describe, expect, test } from 'vitest';
import { fidOf } from '../../../../lib/core/fid.ts';
import type { Fqdn } from '../../../../lib/core/ids.ts';
import { type LiveCluster, livePool, lost, lostWithout } from '../../../../lib/mero/clusters/liveness.ts';
import { processFid } from '../../../support/mero.ts';
import { cluster, rmsOf, seen } from './level-cluster.ts';

const devices = [1, 2, 3, 4].map((n) => fidOf('device', n));
const none: Pick<LiveCluster, 'pools' | 'devicesOf' | 'places'> = { pools: [], devicesOf: new Map(), places: new Map() };
const nothing = { site: 0, rack: 0, encl: 0, ctrl: 0, disk: 0 };
const without = (...numbers: readonly number[]) => new Set(numbers.map(processFid));

describe('what a cluster loses when processes stop', () => {
  test.each([
    { says: 'one of three confds', of: cluster('confd online', 'confd online', 'confd online'), gone: [1], loses: [] },
    { says: 'two of three confds', of: cluster('confd online', 'confd online', 'confd online'), gone: [1, 2], loses: [lost.quorum] },
    {
      says: 'the second of three, when one is lost',
      of: cluster('confd online', 'confd online', 'confd failed'),
      gone: [2],
      loses: [lost.quorum],
    },
    { says: 'the last confd', of: cluster('confd online'), gone: [1], loses: [lost.quorum, lost.principal] },
    {
      says: 'a confd where there is no quorum any more',
      of: cluster('confd online', 'confd online', 'confd failed', 'confd failed'),
      gone: [2],
      loses: [],
    },
    {
      says: 'the last confd with a resource manager',
      of: [seen(1, 'confd', 'online'), ...[2, 3].map((n) => seen(n, 'confd', 'online', { services: [] }))],
      gone: [1],
      loses: [lost.principal],
    },
    { says: 'no confd', of: cluster('confd online', 'ios online', 'm0t1fs online'), gone: [2, 3], loses: [] },
    { says: 'what does not run', of: cluster('confd offline', 'confd offline'), gone: [1], loses: [] },
  ])('$says', ({ of, gone, loses }) => {
    expect(lostWithout({ processes: of, principal: rmsOf(1), ...none }, without(...gone))).toEqual(loses);
  });
});

describe('a pool', () => {
  const [a, b, c, d] = devices as [(typeof devices)[0], (typeof devices)[0], (typeof devices)[0], (typeof devices)[0]];
  const attributes = { parity_units: 1 };
  const processes = [seen(1, 'ios', 'online'), seen(2, 'ios', 'online'), seen(3, 'ios', 'online')];
  const devicesOf = new Map([
    [processFid(1), [a]],
    [processFid(2), [b]],
    [processFid(3), [c, d]],
  ]);
  // The first two hosts stand in one enclosure.
  const standings = new Map(['1', '1', '2'].map((encl, n) => [`host${n + 1}.acme.org`, { site: '0', rack: '0', encl }]));
  const lostBy = (pool: LiveCluster['pools'][number], all: LiveCluster['processes'], ...gone: readonly number[]) =>
    lostWithout({ processes: all, principal: undefined, pools: [pool], devicesOf, places: standings }, without(...gone));

  test('bears the loss of as many devices as it has parity units', () => {
    const pool = livePool(devices, attributes, []);
    expect(lostBy(pool, processes, 1)).toEqual([]);
    expect(lostBy(pool, processes, 1, 2)).toEqual([lost.pools]);
    expect(lostBy(pool, processes, 3)).toEqual([lost.pools]);
  });

  test('has lost already what is missing', () => {
    const hurt = processes.with(0, seen(1, 'ios', 'failed'));
    expect(lostBy(livePool(devices, attributes, []), hurt, 2)).toEqual([lost.pools]);
    expect(lostBy(livePool(devices, attributes, []), processes.with(2, seen(3, 'ios', 'failed')), 2)).toEqual([]);
  });

  test('bears the loss of what its hosts stand in, where its file says so', () => {
    const allowed = [{ ...nothing, encl: 1 }];
    expect(lostBy(livePool(devices, attributes, allowed), processes, 1, 2)).toEqual([]);
    expect(lostBy(livePool(devices, attributes, allowed), processes, 1, 3)).toEqual([lost.pools]);
    expect(lostBy(livePool(devices, attributes, [{ ...nothing, rack: 1 }]), processes, 1, 3)).toEqual([]);
  });

  test('bears what its file says may fail: devices, or hosts with all of theirs', () => {
    const allowed = [{ ...nothing, ctrl: 1 }];
    expect(lostBy(livePool(devices, attributes, allowed), processes, 3)).toEqual([]);
    expect(lostBy(livePool(devices, attributes, allowed), processes, 1, 2)).toEqual([lost.pools]);
    const host = 'host1.acme.org' as Fqdn;
    const together = [seen(1, 'ios', 'online', { host }), seen(2, 'ios', 'online', { host }), seen(3, 'ios', 'online')];
    expect(lostBy(livePool(devices, attributes, allowed), together, 1, 2)).toEqual([]);
    expect(lostBy(livePool(devices, attributes, [{ ...nothing, disk: 2 }]), processes, 1, 2)).toEqual([]);
  });

  test('is not lost by what has none of its devices', () => {
    expect(lostBy(livePool([a, b], attributes, []), processes, 3)).toEqual([]);
  });
});
