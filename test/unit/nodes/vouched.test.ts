import { describe, expect, it } from 'vitest';
import type { NodeReport } from '../../../events/reported/node.ts';
import { ZoneName } from '../../../lib/ids.ts';
import type { NodeCommand } from '../../../lib/nodes/command.ts';
import { decide } from '../../../lib/nodes/decide.ts';
import { leaseUntilOf } from '../../../lib/nodes/lease.ts';
import { type EpochMs, plusMs } from '../../../lib/units.ts';
import { aNode, at } from '../../support/builders.ts';
import { aBeat, aNodeUp, isReady } from './reports.ts';

const zone = ZoneName.parse('default');
const vouched = { by: 'bus:watchtower', zone };
const by = <R extends NodeReport>(report: R, seq?: number): R => ({ ...report, vouched, ...(seq !== undefined && { seq }) });
const acknowledged = (seq: number) => ({ boot: { id: 'boot-aaaa', kernel: 'kernel-1', receivedAt: at(0), seq } });
const edit = (to: boolean): NodeCommand => ({ type: 'edit', id: 'edit-1', vouched: to });

describe('a node that another system vouches for', () => {
  it('joins by a node-up of that system: an event tells the incarnation, and the reason who vouched', () => {
    const decision = decide(aNode({ status: 'absent', incarnation: 0, vouched: true }), by(aNodeUp(), 7), at(10));

    expect(decision).toMatchObject({
      does: 'write',
      next: { status: 'joining', incarnation: 1, boot: { id: 'boot-bbbb', seq: 7 } },
      because: 'first node-up: acknowledged, taking over common content; bus:watchtower vouches for it',
      events: [{ type: 'node.joined' }, { type: 'node.acknowledged', data: { incarnation: 1, boot: 'boot-bbbb' } }],
    });
  });

  it('lives by its heartbeats, from when Muster took them', () => {
    const beat = by(aBeat({ receivedAt: at(10) }));

    expect(decide(aNode({ vouched: true }), beat, at(20))).toMatchObject({
      does: 'write',
      next: { status: 'up', seq: 1, leaseUntil: leaseUntilOf(beat) },
      because: 'lease renewed; bus:watchtower vouches for it',
      events: [],
    });
  });

  it('says nothing of its life itself', () => {
    const node = aNode({ vouched: true });
    for (const report of [aNodeUp(), aBeat(), isReady()])
      expect(decide(node, report, at(10))).toEqual({
        does: 'nothing',
        because: 'another system vouches for it: its agent does not speak of its life',
      });
  });

  it('is no second machine once its agent speaks again', () => {
    const ofAgent = aNode({ boot: { id: 'boot-aaaa', kernel: 'kernel-1', receivedAt: at(-60) } });
    let node = ofAgent;
    const step = (input: NodeReport | NodeCommand, seconds: number): void => {
      const decision = decide(node, input, at(seconds));
      if (decision.does === 'write') node = decision.next as typeof node;
    };
    step(edit(true), 0);
    step(by(aNodeUp({ boot: 'boot-bbbb', receivedAt: at(10) }), 1), 10);
    step(by(aBeat({ incarnation: node.incarnation, receivedAt: at(20) })), 20);
    step(edit(false), 30);
    step(aNodeUp({ boot: 'boot-aaaa', receivedAt: at(40) }), 40);

    expect(node).toMatchObject({ status: 'up', boot: { id: 'boot-aaaa' } });
    expect(node.vouched).toBeUndefined();
  });
});

describe('whoever vouches', () => {
  it('vouches for no node of which no administrator has said so', () => {
    for (const report of [aNodeUp(), aBeat(), isReady()])
      expect(decide(aNode(), by(report, 9), at(10))).toEqual({
        does: 'nothing',
        because: 'no administrator has said that bus:watchtower may vouch for it',
      });
  });

  it('vouches for no node of another zone', () => {
    const elsewhere = aNode({ zone: ZoneName.parse('other'), vouched: true });
    for (const report of [aNodeUp(), aBeat(), isReady()])
      expect(decide(elsewhere, by(report, 9), at(10))).toEqual({
        does: 'nothing',
        because: 'bus:watchtower vouches for nodes of zone default alone',
      });
  });

  it.each([
    { what: 'an older node-up that comes late', boot: 'boot-0000', seq: 4 },
    { what: 'the same node-up sent again', boot: 'boot-aaaa', seq: 5 },
    { what: 'another boot under the same number', boot: 'boot-bbbb', seq: 5 },
  ])('begins no boot and revives no lease by $what', ({ boot, seq }) => {
    for (const status of ['up', 'suspect', 'down'] as const) {
      const node = aNode({ status, vouched: true, heardAt: at(0), ...acknowledged(5) } as Parameters<typeof aNode>[0]);
      expect(decide(node, by(aNodeUp({ boot }), seq), at(10))).toEqual({ does: 'nothing', because: `node-up ${seq} after node-up 5` });
    }
  });

  it('brings a node back that was only cut off by the next node-up of the same boot', () => {
    const node = aNode({ status: 'suspect', vouched: true, heardAt: at(0), ...acknowledged(5) } as Parameters<typeof aNode>[0]);

    expect(decide(node, by(aNodeUp({ boot: 'boot-aaaa' }), 6), at(10))).toMatchObject({
      does: 'write',
      next: { status: 'up', incarnation: node.incarnation, boot: { id: 'boot-aaaa', seq: 6 } },
      events: [{ type: 'node.recovered' }],
    });
  });

  it.each(['node-up', 'heartbeat'])('revives nothing by a %s from a backlog, older than the lease that it would give', (what) => {
    const node = aNode({ status: 'suspect', vouched: true, heardAt: at(0), ...acknowledged(5) } as Parameters<typeof aNode>[0]);
    const receivedAt = at(10);
    const report = what === 'heartbeat' ? by(aBeat({ receivedAt })) : by(aNodeUp({ boot: 'boot-aaaa', receivedAt }), 6);
    const late: EpochMs = plusMs(leaseUntilOf(report), 1);

    expect(decide(node, report, late)).toMatchObject({ does: 'nothing' });
  });
});
