import { describe, expect, it } from 'vitest';
import { minuteMs, plusMs, secondMs } from '../../../lib/core/time.ts';
import { decide } from '../../../lib/nodes/decide.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { type Flap, flapCalmAt, flapHalvesMs, flappedAgain, flapScore, missedAt } from '../../../lib/nodes/rows/flap.ts';
import { resolveStanding } from '../../../lib/zones/map/follow.ts';
import { aNode, at, noon } from '../../../tools/support/builders.ts';
import { aBeat, aNodeUp, stay, tick } from './reports.ts';

const flap = (score: number, since = noon): Flap => ({ score, at: since });
const lease = 38 * secondMs;

/** What the zone makes of a node that is down and was heard again. */
const comesBack = (node: Node) =>
  resolveStanding(node, { before: 'down', ownedSlots: 0, now: at(60), because: 'heard', brakes: {} }).node as {
    next: Node;
    events: readonly object[];
  };
const down = (given: object = {}) => aNode({ status: 'down', returning: { leaseUntil: at(90) }, ...given });

describe('a flap score', () => {
  it('halves each hour', () => {
    expect(flapScore(undefined, noon)).toBe(0);
    expect(flapScore(flap(4), noon)).toBe(4);
    expect(flapScore(flap(4), plusMs(noon, flapHalvesMs))).toBe(2);
    expect(flapScore(flap(4), plusMs(noon, 3 * flapHalvesMs))).toBe(0.5);
    // A clock that is a little behind makes nobody flap more.
    expect(flapScore(flap(4), plusMs(noon, -1_000))).toBe(4);
  });

  it('grows by one with each return, to the tenth', () => {
    expect(flappedAgain(undefined, noon)).toEqual(flap(1));
    expect(flappedAgain(flap(3), plusMs(noon, 10 * minuteMs))).toEqual(flap(3.7, plusMs(noon, 10 * minuteMs)));
  });

  it('says when it will be below one', () => {
    const calm = flapCalmAt(flap(4.2));

    expect(flapScore(flap(4.2), calm)).toBeLessThan(1);
    expect(flapScore(flap(4.2), plusMs(calm, -2))).toBeGreaterThanOrEqual(1);
    expect(flapCalmAt(flap(0.5))).toBe(noon + 1);
  });
});

describe('a node that was lost of late (guard-rail 11)', () => {
  it('is waited for longer: its lease, and another for each point of its score', () => {
    expect(missedAt(aNode())).toBe(at(38));
    expect(missedAt(aNode({ flap: flap(1) }))).toBe(at(76));
    expect(missedAt(aNode({ flap: flap(3, plusMs(noon, -flapHalvesMs)) }))).toBe(at(95));
  });

  it('is not suspect when its lease is over, and is once that time is', () => {
    const node = aNode({ flap: flap(1) });

    expect(decide(node, tick, at(38))).toMatchObject({ does: 'nothing', wakeAt: at(76) });
    expect(decide(node, tick, at(76))).toMatchObject({ does: 'write', next: { status: 'suspect', flap: flap(1) } });
  });

  it('adds to its score when it comes back from down, and by nothing else', () => {
    expect(comesBack(down()).next).toMatchObject({ status: 'up', flap: flap(1, at(60)) });
    expect(comesBack(down({ unready: true, flap: flap(1) })).next).toMatchObject({ status: 'joining', flap: { score: 2 } });

    const restarted = decide(aNode(), aNodeUp({ boot: 'boot-cccc' }), at(10));
    const recovered = decide(aNode({ status: 'suspect' }), aBeat(), at(10));
    const held = decide(
      aNode({ status: 'leaving', leaving: { mode: 'hold', since: noon, until: at(600) } }),
      aNodeUp({ boot: 'boot-cccc' }),
      at(10),
    );
    for (const decision of [restarted, recovered, held]) {
      expect(decision).toMatchObject({ does: 'write', next: { status: 'up' } });
      expect('next' in decision && decision.next.flap).toBeUndefined();
    }
  });

  it('is quarantined above four, with an event and the reason, and its present clients stay', () => {
    const back = comesBack(down({ flap: flap(3.1, at(59)) }));

    expect(back.next).toMatchObject({ status: 'quarantined', reason: 'flapping', flap: { score: 4.1 } });
    expect(back.events).toMatchObject([
      { type: 'node.recovered', data: { from: 'down' } },
      { type: 'node.quarantined', data: { reason: 'flapping' } },
    ]);
    expect(back).toMatchObject({
      because: expect.stringMatching(
        /flap score 4\.1: quarantined until its flap score falls below 1 at .* or an operator ends it \(rule 11\)/,
      ),
    });
    expect(comesBack(down({ flap: flap(2.9, at(59)) })).next.status).toBe('up');
  });

  it('stays quarantined through another loss, without being told of twice, and a clone stays a clone', () => {
    const again = comesBack(down({ flap: flap(2, at(59)), reason: 'flapping' }));
    const clone = comesBack(down({ flap: flap(9, at(59)), reason: 'clone' }));

    expect(again.next).toMatchObject({ status: 'quarantined', reason: 'flapping' });
    expect(again.events).toHaveLength(1);
    expect(clone.next).toMatchObject({ status: 'quarantined', reason: 'clone' });
  });

  it('is up by itself once its score is below one', () => {
    const node = (score: number) => aNode({ status: 'quarantined', reason: 'flapping', flap: flap(score) });

    expect(decide(node(1), tick, noon).does).toBe('nothing');
    expect(decide(node(0.99), tick, noon)).toMatchObject({
      does: 'write',
      next: { status: 'up', awaitsPlan: true },
      events: [{ type: 'node.recovered', data: { from: 'quarantined' } }],
      because: 'its flap score is below 1: the quarantine ends (rule 11)',
    });
    expect(decide({ ...node(0.5), unready: true }, tick, noon)).toMatchObject({ does: 'write', next: { status: 'joining' } });
    expect(decide(aNode({ status: 'quarantined', reason: 'clone', flap: flap(0.5) }), tick, noon).does).toBe('nothing');
  });

  it('is up by an operator, and begins anew: the next loss is its first', () => {
    const kept = decide(aNode({ status: 'quarantined', reason: 'flapping', flap: flap(4.5) }), stay, at(10));
    const clone = decide(aNode({ status: 'quarantined', reason: 'clone', flap: flap(2) }), stay, at(10));

    expect(kept).toMatchObject({ does: 'write', next: { status: 'up' } });
    expect('next' in kept && kept.next.flap).toBeUndefined();
    expect(clone).toMatchObject({ does: 'write', next: { status: 'up', flap: flap(2) } });
  });

  it('is a clone all the same when an earlier boot speaks again', () => {
    const boot = { id: 'boot-bbbb', kernel: 'kernel-1', receivedAt: noon, before: 'boot-aaaa' };
    const flapping = aNode({ status: 'quarantined', reason: 'flapping', flap: flap(4.5), boot, heardAt: at(2) });

    expect(decide(flapping, aNodeUp({ boot: 'boot-aaaa' }), at(10))).toMatchObject({
      does: 'write',
      next: { status: 'quarantined', reason: 'clone' },
      events: [{ type: 'node.quarantined', data: { reason: 'clone' } }],
    });
    expect(decide({ ...flapping, heardAt: noon }, aNodeUp({ boot: 'boot-aaaa' }), at(10))).toMatchObject({
      next: { status: 'quarantined', reason: 'flapping', boot: { id: 'boot-aaaa', again: true } },
    });
  });

  it('says in its heartbeats until when, and is without a score once it joins as new', () => {
    const node = aNode({ status: 'quarantined', reason: 'flapping', flap: flap(4.5) });
    const dropped = aNode({ status: 'dropped', flap: flap(4.5) });
    const back = decide(dropped, aNodeUp({ boot: 'boot-cccc', flushed: 1, receivedAt: at(70) }), at(70));

    expect(decide(node, aBeat(), at(10))).toMatchObject({
      because: `heartbeat 1 renewed its lease; quarantined (flapping) until its flap score falls below 1 at ${new Date(flapCalmAt(flap(4.5))).toISOString()}, or an operator ends it (rule 11)`,
    });
    expect(back).toMatchObject({ does: 'write', next: { status: 'joining', generation: 2 } });
    expect('next' in back && back.next.flap).toBeUndefined();
  });

  it('keeps its base lease for the brakes: who is waited for longer falls silent no later than others', () => {
    expect(missedAt(aNode({ flap: flap(2) })) - noon).toBe(3 * lease);
    expect(aNode({ flap: flap(2) }).leaseUntil - noon).toBe(lease);
  });
});
