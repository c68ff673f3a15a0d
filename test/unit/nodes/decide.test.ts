import { describe, expect, it } from 'vitest';
import { nothing } from '../../../lib/core/decision.ts';
import { decide } from '../../../lib/nodes/decide.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { aNode, at, nodeFqdn, nodeId } from '../../../tools/support/builders.ts';
import { aBeat, aNodeUp, hasReleased, isLeaving, isReady, leave, remove, someLoad, stay, takeBack, tick } from './reports.ts';

/** What an event about the first node says. */
const about = { node: nodeId(1), fqdn: nodeFqdn(1), zone: 'default', incarnation: 1, generation: 1 };
/** The state a decision writes; fails the test when it writes none. */
const written = (node: Node, input: Parameters<typeof decide>[1], seconds = 10): Node => {
  const decision = decide(node, input, at(seconds));
  if (decision.does !== 'write') throw new Error(`nothing was written: ${decision.because}`);
  return decision.next;
};

describe('a node that starts', () => {
  it('is acknowledged with its first node-up: generation 1, incarnation 1, joining until it says ready', () => {
    const decision = decide(aNode({ status: 'absent' }), aNodeUp({ boot: 'boot-aaaa' }), at(11));

    const boot = { id: 'boot-aaaa', kernel: 'kernel-1', receivedAt: at(10) };
    const { index: _given, ...next } = aNode({ status: 'joining', boot, heardAt: at(10), leaseUntil: at(48), awaitsPlan: true });
    expect(decision).toEqual({
      does: 'write',
      next,
      events: [{ type: 'node.joined', version: 1, data: about }],
      wakeAt: at(11),
      because: 'first node-up acknowledged; it takes over the common content',
    });
  });

  it('takes client systems once it has said ready', () => {
    const { unready: _said, ...joining } = aNode({ status: 'joining' });

    expect(decide(aNode({ status: 'joining' }), isReady(), at(10))).toEqual({
      does: 'write',
      next: { ...joining, status: 'up', awaitsPlan: true },
      events: [{ type: 'node.activated', version: 1, data: about }],
      wakeAt: at(10),
      because: 'ready: it can take client systems',
    });
  });

  it('counts its boots, and forgets nothing else, when it restarts as a member', () => {
    const node = aNode({ seq: 40, load: someLoad, labels: { rack: 'r1' } });

    const boot = { id: 'boot-bbbb', kernel: 'kernel-1', receivedAt: at(10), before: 'boot-aaaa' };
    expect(decide(node, aNodeUp(), at(10))).toEqual({
      does: 'write',
      next: { ...node, incarnation: 2, seq: 0, boot, heardAt: at(10), leaseUntil: at(48) },
      events: [],
      wakeAt: at(48),
      because: 'incarnation 2 acknowledged',
    });
  });
});

describe('a node that is heard', () => {
  it('keeps its lease from the moment the door received the heartbeat, whenever that is decided', () => {
    const decision = decide(aNode(), aBeat({ seq: 3, receivedAt: at(10) }), at(40));

    expect(decision).toEqual({
      does: 'write',
      next: aNode({ seq: 3, heardAt: at(10), leaseUntil: at(48), load: someLoad, loads: { at: at(10), points: '1' } }),
      events: [],
      wakeAt: at(48),
      because: 'heartbeat 3 renewed its lease',
    });
  });

  it('is again what it was, once it is heard before it was given up', () => {
    const leaving = { mode: 'drain' as const, since: at(0) };

    expect(written(aNode({ status: 'suspect', was: 'up' }), aBeat())).toMatchObject({ status: 'up', awaitsPlan: true });
    expect(written(aNode({ status: 'suspect', was: 'joining', unready: true }), aBeat())).toMatchObject({ status: 'joining' });
    expect(written(aNode({ status: 'suspect', was: 'leaving', leaving }), aBeat())).toMatchObject({ status: 'leaving', leaving });
    for (const input of [aBeat(), aNodeUp(), aNodeUp({ boot: 'boot-aaaa' })])
      expect(written(aNode({ status: 'suspect', was: 'quarantined', reason: 'clone' }), input)).toMatchObject({
        status: 'quarantined',
        reason: 'clone',
      });
  });

  it('while down is brought back by the plan of its zone alone, with the lease it was heard for', () => {
    const next = written(aNode({ status: 'down' }), aNodeUp({ boot: 'boot-aaaa', receivedAt: at(50) }), 51);

    expect(next).toMatchObject({ status: 'down', downAt: at(40), returning: { leaseUntil: at(88) }, awaitsPlan: true, incarnation: 1 });
  });
});

describe('a node that goes quiet', () => {
  it('is suspect once its lease has run out, not a millisecond before', () => {
    expect(decide(aNode(), tick, (at(38) - 1) as never)).toEqual({ does: 'nothing', because: 'its lease holds', wakeAt: at(38) });
    expect(decide(aNode(), tick, at(38))).toEqual({
      does: 'write',
      next: aNode({ status: 'suspect', was: 'up', awaitsPlan: true }),
      events: [{ type: 'node.suspected', version: 1, data: { ...about, heardAt: at(0) } }],
      wakeAt: at(38),
      because: 'not heard for 38 s: its lease ran out',
    });
  });

  it('is not expired before the grace that follows our own sleep', () => {
    const grace = { type: 'tick', graceUntil: at(100) } as const;

    expect(decide(aNode(), grace, at(99))).toEqual({ does: 'nothing', because: 'grace: Muster may have slept', wakeAt: at(100) });
    expect(decide(aNode(), grace, at(100))).toMatchObject({ does: 'write', next: { status: 'suspect' } });
  });

  it('is not given up for 30 min that we slept through, nor a hold ended, nor a drain', () => {
    const grace = { type: 'tick', graceUntil: at(9_000) } as const;
    const held = aNode({ status: 'leaving', leaving: { mode: 'hold', since: at(0), until: at(600) } });
    const drained = aNode({ status: 'leaving', leaving: { mode: 'drain', since: at(0) }, leaseUntil: at(9_999) });

    for (const node of [aNode({ status: 'down' }), held, drained])
      expect(decide(node, grace, at(8_900))).toMatchObject({ does: 'nothing', wakeAt: at(9_000) });
  });

  it('is due again when it will have been down for 30 min', () => {
    expect(decide(aNode({ status: 'down' }), tick, at(50))).toMatchObject({ does: 'nothing', wakeAt: at(40 + 1_800) });
  });

  it('while it is upgraded is held until its deadline, however long its lease has run out', () => {
    const held = aNode({ status: 'leaving', leaving: { mode: 'hold', since: at(0), until: at(600) } });

    expect(decide(held, tick, at(599))).toEqual({ does: 'nothing', because: 'the hold is not over', wakeAt: at(600) });
  });
});

describe('a dropped node', () => {
  it('joins as new, one generation on, without an index, only once it has flushed what it had', () => {
    const dropped = aNode({ status: 'dropped' });

    expect(decide(dropped, aNodeUp({ boot: 'boot-aaaa' }), at(70)).does).toBe('nothing');
    const decision = decide(dropped, aNodeUp({ boot: 'boot-aaaa', flushed: 1, receivedAt: at(70) }), at(70));
    expect(decision).toMatchObject({
      does: 'write',
      next: { status: 'joining', unready: true, generation: 2, incarnation: 2, awaitsPlan: true },
      events: [{ type: 'node.readmitted' }, { type: 'node.joined' }],
    });
    expect(decision.does === 'write' && decision.next).not.toHaveProperty('index');
  });

  it('that flushed within one boot of its agent is no clone of itself', () => {
    const joining = written(aNode({ status: 'dropped' }), aNodeUp({ boot: 'boot-aaaa', flushed: 1, receivedAt: at(70) }), 70);

    expect(decide(joining, aNodeUp({ boot: 'boot-aaaa', receivedAt: at(72) }), at(72)).does).toBe('nothing');
    expect(written(joining, aNodeUp({ boot: 'boot-bbbb', receivedAt: at(80) }), 80)).toMatchObject({ status: 'joining', incarnation: 3 });
  });
});

describe('an operator', () => {
  it('forgets the boot before: of two machines with one key the one that is left comes back by its next node-up', () => {
    const boot = { id: 'boot-bbbb', kernel: 'kernel-1', receivedAt: at(0), before: 'boot-aaaa' };

    expect(written(aNode({ status: 'quarantined', boot }), stay)).toMatchObject({ boot: { id: 'boot-bbbb' } });
    expect(written(aNode({ status: 'quarantined', boot }), stay)).not.toHaveProperty('boot.before');
  });

  it('lifts a quarantine; a node that never said ready goes on joining', () => {
    expect(written(aNode({ status: 'quarantined' }), stay)).toMatchObject({ status: 'up', awaitsPlan: true });
    expect(written(aNode({ status: 'quarantined', unready: true }), stay)).toMatchObject({ status: 'joining', unready: true });
  });

  it('ends a hold, as the node-up does that it was waiting for', () => {
    const held = aNode({ status: 'leaving', leaving: { mode: 'hold', since: at(0), until: at(600) } });

    expect(written(held, stay)).toMatchObject({ status: 'up', awaitsPlan: true });
    expect(written(held, aNodeUp({ receivedAt: at(300) }), 300)).toMatchObject({ status: 'up', awaitsPlan: true, incarnation: 2 });
  });

  it('keeps a node that said it would leave, however often that is said again; a newer word counts', () => {
    const report = isLeaving('hold', { receivedAt: at(10) });
    const kept = written(written(aNode(), report), stay, 20);

    expect(kept).toMatchObject({ status: 'up', word: { at: at(20), report: report.id } });
    for (const again of [report, isLeaving('drain', { receivedAt: at(15) }), { ...report, receivedAt: at(300) }])
      expect(decide(kept, again, at(300)).does).toBe('nothing');
    expect(written(kept, isLeaving('hold', { receivedAt: at(21) }), 22)).toMatchObject({ status: 'leaving', word: { at: at(21) } });
    expect(written(kept, leave('drain'), 22)).toMatchObject({ status: 'leaving', word: { at: at(22), report: report.id } });
  });

  it('is not followed later when what a node said could not be followed at the time, however often it is handed out again', () => {
    const report = isLeaving('drain', { receivedAt: at(10) });
    const joining = written(aNode({ status: 'joining' }), report, 11);

    expect(joining).toMatchObject({ status: 'joining', word: { at: at(10), report: report.id } });
    const up = written(joining, isReady(), 12);
    expect(up.status).toBe('up');
    expect(decide(up, report, at(300)).does).toBe('nothing');
  });

  it('is not followed when it was said before the node joined, or before an administrator took the node back', () => {
    const node = aNode({ joinedAt: at(20) });
    expect(decide(node, isLeaving('drain', { receivedAt: at(19) }), at(300))).toEqual(nothing('the report came before it joined'));
    expect(written(node, isLeaving('drain', { receivedAt: at(20) }), 21).status).toBe('leaving');

    const said = isLeaving('drain', { receivedAt: at(25) });
    const replaced = aNode({
      status: 'dropped',
      droppedAt: at(22),
      planned: true,
      removedAt: at(22),
      replacedBy: { node: nodeId(2), at: at(22), planned: true },
    });
    expect(decide(replaced, said, at(26)).does).toBe('nothing');
    const back = written(replaced, takeBack, 30);
    expect(back).toMatchObject({ status: 'dropped', word: { at: at(30) } });
    expect(decide(back, said, at(300)).does).toBe('nothing');
  });

  it('is not freed by a release of before it began to leave, which may be delivered again', () => {
    const leaving = aNode({ status: 'leaving', leaving: { mode: 'drain', since: at(20) }, leaseUntil: at(99) });
    const of = (receivedAt: number) => hasReleased(22, { receivedAt: at(receivedAt) });
    expect(decide(leaving, of(19), at(30))).toEqual(nothing('it released slots before it began to leave'));
    expect(written(leaving, of(21), 30)).toMatchObject({ leaving: { releasedVersion: 22 }, awaitsPlan: true });

    // It left in another mode before, in which slots were taken from it: these are its own.
    const moved = aNode({ status: 'leaving', leaving: { mode: 'drain', since: at(20), orderVersion: 22 }, leaseUntil: at(99) });
    expect(written(moved, of(19), 30)).toMatchObject({ leaving: { releasedVersion: 22 } });
  });

  it('may say until when a node is held; two hours otherwise', () => {
    expect(written(aNode(), leave('hold', at(900)))).toMatchObject({ leaving: { mode: 'hold', since: at(10), until: at(900) } });
    expect(written(aNode(), leave('hold'))).toMatchObject({ leaving: { mode: 'hold', since: at(10), until: at(10 + 7_200) } });
  });

  it('may not say a moment that is over, nor one more than 30 days away', () => {
    const monthS = 30 * 86_400;

    for (const seconds of [0, 10, 10 + monthS + 1, 8_000_000_000_000])
      for (const input of [leave('hold', at(seconds)), leave('drain', at(seconds))])
        expect(decide(aNode(), input, at(10)).does, `${seconds} s`).toBe('nothing');
    for (const seconds of [0, 10, 10 + monthS + 1]) {
      const report = isLeaving('hold', { until: at(seconds), receivedAt: at(9) });
      expect(written(aNode(), report)).toEqual(aNode({ word: { at: at(9), report: report.id } }));
    }
    expect(written(aNode(), leave('hold', at(10 + monthS)))).toMatchObject({ leaving: { until: at(10 + monthS) } });
  });

  it('edits weight, capacity and labels, and takes a capacity back with null', () => {
    const edited = written(aNode({ capacity: 100 }), { type: 'edit', id: 'e', weight: 2, labels: { rack: 'r1' } });

    expect(edited).toEqual(aNode({ capacity: 100, weight: 2, labels: { rack: 'r1' }, awaitsPlan: true }));
    expect(written(edited, { type: 'edit', id: 'e', capacity: null })).not.toHaveProperty('capacity');
    expect(edited).toHaveProperty('awaitsPlan', true);
  });

  it('is left alone by an edit that says what is so already, such as one whose answer was lost, and the zone plans nothing', () => {
    const edit = { type: 'edit', id: 'e', weight: 2, labels: { rack: 'r1' } } as const;
    const { awaitsPlan: _planned, ...planned } = written(aNode(), edit) as Extract<Node, { status: 'up' }>;
    expect(decide(planned as Node, edit, at(5))).toEqual({ does: 'nothing', because: 'it is so already' });
  });

  it('that was given up is edited, and waits for no plan: none would follow, and what ran there would never be looked after', () => {
    const given = aNode({ status: 'dropped', droppedAt: at(1), planned: false });
    const decision = decide(given, { type: 'edit', id: 'e', weight: 2 }, at(5));
    expect(decision).toMatchObject({ does: 'write', next: { status: 'dropped', weight: 2 } });
    expect(decision).toMatchObject({ next: expect.not.objectContaining({ awaitsPlan: true }) });
    expect(decision).not.toHaveProperty('wakeAt');
  });

  it('cannot send away a node that takes no clients yet', () => {
    expect(decide(aNode({ status: 'suspect', was: 'joining', unready: true }), leave('drain'), at(10)).does).toBe('nothing');
    expect(decide(aNode({ status: 'suspect', was: 'quarantined' }), leave('drain'), at(10)).does).toBe('nothing');
  });
});

describe('a hold', () => {
  it('is given another deadline by another word, and keeps since when it holds', () => {
    const leaving = { mode: 'hold', since: at(0), until: at(300) } as const;
    const longer = { type: 'leave', id: 'l', mode: 'hold', until: at(7_200) } as const;

    expect(decide(aNode({ status: 'leaving', leaving }), longer, at(10))).toMatchObject({
      does: 'write',
      next: { leaving: { mode: 'hold', since: at(0), until: at(7_200) } },
    });
    expect(decide(aNode({ status: 'leaving', leaving }), { ...longer, until: at(300) }, at(10)).does).toBe('nothing');
  });

  it('has still to tell the clients that a drain has taken, also when it is held in between', () => {
    const leaving = { mode: 'drain', since: at(0), orderVersion: 15, releasedVersion: 14 } as const;

    const held = written(aNode({ status: 'leaving', leaving }), leave('hold'));

    expect(written(held, leave('drain'))).toMatchObject({ leaving: { mode: 'drain', orderVersion: 15, releasedVersion: 14 } });
  });
});

describe('a node that was given up, with services that Muster ran there', () => {
  const gone = (more: object = {}): Node => aNode({ status: 'dropped', services: true, ...more });
  it.each([
    ['is removed', gone(), remove],
    ['is to be replaced', gone(), { type: 'replace', id: 'order-1', by: nodeId(2) } as const],
    ['is taken back', gone({ removedAt: at(70) }), takeBack],
    ['asks to come back', gone({ readmission: 'awaited' }), aNodeUp({ boot: 'boot-aaaa', flushed: 1, receivedAt: at(100) })],
  ])('stays due when it %s: their loss may not be recorded yet', (_how, node, input) => {
    expect(decide(node, input as Parameters<typeof decide>[1], at(100))).toMatchObject({ does: 'write', wakeAt: at(100) });
    const { services: _none, ...idle } = node;
    expect(decide(idle as Node, input as Parameters<typeof decide>[1], at(100))).not.toHaveProperty('wakeAt', at(100));
  });
});
