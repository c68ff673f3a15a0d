import { describe, expect, it } from 'vitest';
import type { NodeReport } from '../../../events/reported/node.ts';
import { ZoneName } from '../../../lib/core/ids.ts';
import { leaseUntilOf } from '../../../lib/core/lease.ts';
import { type EpochMs, plusMs } from '../../../lib/core/time.ts';
import type { NodeCommand } from '../../../lib/nodes/command.ts';
import { decide } from '../../../lib/nodes/decide.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { aNode, at } from '../../../tools/support/builders.ts';
import { aBeat, aNodeUp, isReady } from './reports.ts';

const zone = ZoneName.parse('default');
const vouched = { by: 'bus:watchtower', zone };
const by = <R extends NodeReport>(report: R, seq?: number): R => ({ ...report, vouched, ...(seq !== undefined && { seq }) });
const edit = (to: boolean): NodeCommand => ({ type: 'edit', id: 'edit-1', vouched: to });
const tick = { type: 'tick' } as const;

/** A node as it becomes by one input after another. */
class Life {
  node: Node;
  because = '';
  events: readonly string[] = [];

  constructor(node: Node) {
    this.node = node;
  }

  hears(input: NodeReport | NodeCommand | typeof tick, seconds: number): this {
    const decision = decide(this.node, input, at(seconds));
    this.because = decision.because;
    this.events = decision.does === 'write' ? decision.events.map(({ type }) => type) : [];
    if (decision.does === 'write') this.node = decision.next;
    return this;
  }

  up = (boot: string, seq: number, seconds: number, who = vouched): this =>
    this.hears({ ...aNodeUp({ boot, receivedAt: at(seconds) }), vouched: who, seq }, seconds);

  beat = (seconds: number, seq = seconds, incarnation = this.node.incarnation): this =>
    this.hears(by(aBeat({ incarnation, seq, receivedAt: at(seconds) })), seconds);
}

/** A node that is vouched for: its boot was acknowledged by node-up 5. */
const told5 = (status: 'up' | 'suspect' | 'down'): Node =>
  aNode({
    status,
    vouched: true,
    heardAt: at(0),
    boot: { id: 'boot-aaaa', kernel: 'kernel-1', receivedAt: at(0) },
    voice: new Life(aNode({ vouched: true })).up('boot-aaaa', 5, 10).node.voice!,
  });

/** A node that is vouched for, up by node-up 1 of its boot. */
const lives = (): Life => new Life(aNode({ vouched: true })).up('boot-1', 1, 10);

describe('a node that another system vouches for', () => {
  it('joins by a node-up of that system: an event tells the incarnation, and the reason who vouched', () => {
    const decision = decide(aNode({ status: 'absent', incarnation: 0, vouched: true }), by(aNodeUp(), 7), at(10));

    expect(decision).toMatchObject({
      does: 'write',
      next: { status: 'joining', incarnation: 1, boot: { id: 'boot-bbbb' }, voice: { ups: [{ seq: 7 }] } },
      because: 'first node-up acknowledged; it takes over the common content; bus:watchtower vouches for it',
      events: [{ type: 'node.joined' }, { type: 'node.acknowledged', data: { incarnation: 1, boot: 'boot-bbbb' } }],
    });
  });

  it('lives by its heartbeats, from when Muster took them', () => {
    const beat = by(aBeat({ receivedAt: at(10) }));

    expect(decide(aNode({ vouched: true }), beat, at(20))).toMatchObject({
      does: 'write',
      next: { status: 'up', seq: 1, leaseUntil: leaseUntilOf(beat) },
      because: 'heartbeat 1 renewed its lease; bus:watchtower vouches for it',
      events: [],
    });
  });

  it('says nothing of its life itself', () => {
    const node = aNode({ vouched: true });
    for (const report of [aNodeUp(), aBeat(), isReady()])
      expect(decide(node, report, at(10))).toEqual({
        does: 'nothing',
        because: 'another system vouches for it: reports of its agent are not signs of life',
      });
  });

  it('is no second machine once its agent speaks again', () => {
    const life = new Life(aNode({ boot: { id: 'boot-aaaa', kernel: 'kernel-1', receivedAt: at(-60) } }));
    life.hears(edit(true), 0).up('boot-bbbb', 1, 10).beat(20).hears(edit(false), 30);
    life.hears(aNodeUp({ boot: 'boot-aaaa', receivedAt: at(40) }), 40);

    expect(life.node).toMatchObject({ status: 'up', boot: { id: 'boot-aaaa' } });
    expect(life.node.vouched).toBeUndefined();
  });

  it('begins with a node-up of whoever speaks from now on: what the incarnation before says counts no more', () => {
    const ofAgent = new Life(aNode({ boot: { id: 'boot-aaaa', kernel: 'kernel-1', receivedAt: at(-60) } }));
    const { incarnation } = ofAgent.node;
    ofAgent.hears(edit(true), 0).beat(10, 1_000_000, incarnation);
    expect(ofAgent.because).toBe(`a report of incarnation ${incarnation}; the node is at ${incarnation + 1}`);
    ofAgent.beat(10, 1_000_000);
    expect(ofAgent.because).toBe('the source of its liveness changed: a node-up must come first');

    const { node } = ofAgent.hears(edit(false), 20).hears(aNodeUp({ boot: 'boot-aaaa', receivedAt: at(30) }), 30);
    const beat = aBeat({ incarnation: node.incarnation, seq: 1, receivedAt: at(40) });
    expect(ofAgent.hears(beat, 40).node).toMatchObject({ seq: 1, heardAt: at(40) });
  });

  it('is not spoken of by what was received before an administrator has said who speaks, nor by what was sent before that and again', () => {
    const life = lives().up('boot-1', 5, 20).hears(edit(false), 30);
    life.hears(aNodeUp({ boot: 'boot-aaaa', receivedAt: at(40) }), 40).hears(edit(true), 50);
    const { incarnation } = life.node;

    life.hears(by(aNodeUp({ boot: 'boot-2', receivedAt: at(45) }), 6), 60);
    expect(life.because).toMatch('node-up received before the source of its liveness changed');
    expect(life.up('boot-1', 5, 61).because).toBe('node-up 5 after node-up 5');
    expect(life.node).toMatchObject({ incarnation, status: 'up' });
    expect(life.node.boot).toBeUndefined();
    expect(life.up('boot-2', 7, 62).node).toMatchObject({ boot: { id: 'boot-2' }, incarnation: incarnation + 1 });
  });
});

describe('a node where Muster has something run', () => {
  it.each([{ services: true as const }, { kind: 'storage' as const }])('is not vouched for: its agent has to speak of that', (driven) => {
    expect(decide(aNode(driven), edit(true), at(0))).toMatchObject({ does: 'nothing', because: expect.stringMatching('its own agent') });
  });
});

describe('whoever vouches', () => {
  it('vouches for no node of which no administrator has said so', () => {
    for (const report of [aNodeUp(), aBeat(), isReady()])
      expect(decide(aNode(), by(report, 9), at(10))).toEqual({
        does: 'nothing',
        because: 'no administrator lets another system vouch for it: reports of bus:watchtower are not signs of life',
      });
  });

  it('vouches for no node of another zone', () => {
    const elsewhere = aNode({ zone: ZoneName.parse('other'), vouched: true });
    for (const report of [aNodeUp(), aBeat(), isReady()])
      expect(decide(elsewhere, by(report, 9), at(10))).toEqual({
        does: 'nothing',
        because: 'bus:watchtower may vouch only for nodes of zone default',
      });
  });

  it.each([
    { what: 'an older node-up that comes late', boot: 'boot-0000', seq: 4 },
    { what: 'the same node-up sent again', boot: 'boot-aaaa', seq: 5 },
    { what: 'another boot under the same number', boot: 'boot-bbbb', seq: 5 },
  ])('begins no boot and revives no lease by $what', ({ boot, seq }) => {
    for (const status of ['up', 'suspect', 'down'] as const) {
      const life = new Life(told5(status));
      expect(life.up(boot, seq, 10).because).toBe(`node-up ${seq} after node-up 5`);
      expect(life.node).toEqual(told5(status));
    }
  });

  it('brings a node back that was only cut off by the next node-up of the same boot, from wherever it is', () => {
    const { incarnation } = told5('suspect');
    const suspect = new Life(told5('suspect')).up('boot-aaaa', 6, 10);
    expect(suspect.node).toMatchObject({ status: 'up', incarnation, boot: { id: 'boot-aaaa' } });
    expect(suspect.events).toEqual(['node.recovered', 'node.acknowledged']);

    const down = new Life(told5('down')).up('boot-aaaa', 6, 10);
    expect(down.node).toMatchObject({
      status: 'down',
      incarnation,
      returning: { leaseUntil: leaseUntilOf(aNodeUp({ receivedAt: at(10) })) },
    });
    expect(down.events).toEqual(['node.acknowledged']);
  });

  it('is told the incarnation once more by each newer node-up of a boot that is acknowledged, and by none that is repeated', () => {
    const life = lives();
    const { incarnation } = life.up('boot-1', 50, 20).node;
    expect([life.events, life.because]).toEqual([
      ['node.acknowledged'],
      'this boot is already acknowledged; bus:watchtower vouches for it',
    ]);
    expect(life.node.incarnation).toBe(incarnation);
    expect(life.up('boot-1', 50, 21).events).toEqual([]);
  });

  it('brings no dead machine back by a node-up that did nothing when it was sent', () => {
    const life = lives().up('boot-1', 50, 20).hears(tick, 600);
    expect(life.node.status).toBe('suspect');
    expect(life.up('boot-1', 50, 601).because).toBe('node-up 50 after node-up 50');
    expect(life.node.status).toBe('suspect');
    expect(life.up('boot-1', 51, 602).node.status).toBe('up');
  });

  it('prolongs no lease of a node in quarantine by a node-up that is repeated', () => {
    const life = lives().up('boot-2', 100, 20).beat(30).up('boot-1', 101, 40);
    expect(life.node).toMatchObject({ status: 'quarantined', reason: 'clone' });
    expect(life.because).toMatch('boot boot-1 speaks again after boot boot-2: the vouching system mistakes two machines for one');
    const { node } = life;
    expect(life.up('boot-1', 101, 50).node).toEqual(node);
    expect(life.up('boot-1', 102, 60).node).toMatchObject({ status: 'quarantined', heardAt: at(60) });
  });

  it('counts its own node-ups, whoever has vouched before; and those of the one before are known still', () => {
    const [other, third] = ['bus:lookout', 'key:a1b2c3'].map((who) => ({ by: who, zone }));
    const life = lives().up('boot-1', 1_777_636_800_000, 20).up('boot-2', 1, 30, other);
    expect(life.node).toMatchObject({ boot: { id: 'boot-2' } });
    expect(life.up('boot-1', 1_777_636_800_000, 40).because).toBe('node-up 1777636800000 after node-up 1777636800000');
    expect(life.up('boot-3', 1, 50, third).node).toMatchObject({ boot: { id: 'boot-3' }, voice: { ups: [{ seq: 1 }, { seq: 1 }] } });
  });

  it.each(['node-up', 'heartbeat'])('revives nothing by a %s from a backlog, older than the lease that it would give', (what) => {
    const node = told5('suspect');
    const receivedAt = at(10);
    const report = what === 'heartbeat' ? by(aBeat({ receivedAt })) : by(aNodeUp({ boot: 'boot-aaaa', receivedAt }), 6);
    const late: EpochMs = plusMs(leaseUntilOf(report), 1);

    const life = new Life(node).hears(report, (late - at(0)) / 1_000);
    expect(life.node).toMatchObject({ status: 'suspect', heardAt: at(0) });
    expect(life.events).toEqual([]);
  });
});
