import { describe, expect, it } from 'vitest';
import { intervalMsOf, jittered, leaseMsOf, leaseUntilOf } from '../../../lib/core/lease.ts';
import { decide } from '../../../lib/nodes/decide.ts';
import { aNode, at } from '../../../tools/support/builders.ts';
import { aBeat, aNodeUp } from '../nodes/reports.ts';

describe('the heartbeat interval', () => {
  it.each([
    { nodes: 0, beatMinMs: 10_000, intervalMs: 10_000 },
    { nodes: 500, beatMinMs: 10_000, intervalMs: 10_000 },
    { nodes: 501, beatMinMs: 10_000, intervalMs: 10_020 },
    { nodes: 5_000, beatMinMs: 10_000, intervalMs: 100_000 },
    { nodes: 15_000, beatMinMs: 10_000, intervalMs: 300_000 },
    { nodes: 1_000_000, beatMinMs: 10_000, intervalMs: 300_000 },
    { nodes: 5, beatMinMs: 1_000, intervalMs: 1_000 },
  ])('of $nodes nodes, at least $beatMinMs ms, is $intervalMs ms', ({ nodes, beatMinMs, intervalMs }) => {
    expect(intervalMsOf(nodes, beatMinMs)).toBe(intervalMs);
  });

  it('never makes all nodes together beat more than 50 times a second, until each is as slow as can be', () => {
    for (let nodes = 1; nodes <= 15_000; nodes += 7) expect((nodes / intervalMsOf(nodes, 100)) * 1_000).toBeLessThanOrEqual(50.3);
  });

  it.each([
    { random: 0, ms: 9_000 },
    { random: 0.5, ms: 10_000 },
    { random: 0.999_999, ms: 11_000 },
  ])('is told with a jitter of a tenth either way: $ms ms', ({ random, ms }) => {
    expect(jittered(10_000, random)).toBe(ms);
  });
});

describe('a lease', () => {
  it.each([
    { intervalMs: 10_000, leaseMs: 38_000 },
    { intervalMs: 1_000, leaseMs: 8_300 },
    { intervalMs: 300_000, leaseMs: 995_000 },
  ])('at an interval of $intervalMs ms lasts $leaseMs ms', ({ intervalMs, leaseMs }) => {
    expect(leaseMsOf(intervalMs)).toBeCloseTo(leaseMs, 6);
  });

  it('counts from when the door received the report', () => {
    expect(leaseUntilOf({ receivedAt: at(7), intervalMs: 10_000 })).toBe(at(45));
  });

  it('is not shortened by a report that was received before the last one heard, and neither is that forgotten', () => {
    const node = aNode({ status: 'up', heardAt: at(20), leaseUntil: at(58) });

    expect(decide(node, aBeat({ seq: 2, receivedAt: at(19) }), at(21))).toMatchObject({
      does: 'write',
      next: { heardAt: at(20), leaseUntil: at(58) },
    });
  });

  it('is begun by no node-up that was received before the last one heard: whoever spoke after it is who runs', () => {
    const node = aNode({ status: 'up', heardAt: at(20), leaseUntil: at(58) });

    expect(decide(node, aNodeUp({ boot: 'boot-bbbb', receivedAt: at(19) }), at(21)).does).toBe('nothing');
  });

  it('is shortened by a later report that was told a shorter interval', () => {
    const node = aNode({ status: 'up', heardAt: at(20), leaseUntil: at(58) });

    const decision = decide(node, aBeat({ receivedAt: at(21), intervalMs: 1_000 }), at(21));

    expect(decision).toMatchObject({ does: 'write', next: { heardAt: at(21), leaseUntil: at(21) + 8_300 } });
  });
});
