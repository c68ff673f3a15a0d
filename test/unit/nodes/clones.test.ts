import { describe, expect, it } from 'vitest';
import { decide } from '../../../lib/nodes/decide.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { aNode, at, nodeFqdn, nodeId } from '../../../tools/support/builders.ts';
import { aNodeUp, isReady } from './reports.ts';

/** What an event about the first node says. */
const about = { node: nodeId(1), fqdn: nodeFqdn(1), zone: 'default', incarnation: 1, generation: 1 };
/** The state a decision writes; fails the test when it writes none. */
const written = (node: Node, input: Parameters<typeof decide>[1], seconds = 10): Node => {
  const decision = decide(node, input, at(seconds));
  if (decision.does !== 'write') throw new Error(`nothing was written: ${decision.because}`);
  return decision.next;
};

describe('two machines with one key', () => {
  it('take turns (A, B, A), and the node is quarantined, once', () => {
    const first = { ...written(aNode(), aNodeUp({ boot: 'boot-bbbb', receivedAt: at(10) })), heardAt: at(12) };
    const speaksAgain = aNodeUp({ boot: 'boot-aaaa', receivedAt: at(16) });

    const decision = decide(first, speaksAgain, at(17));

    expect(decision).toMatchObject({
      does: 'write',
      next: { status: 'quarantined', reason: 'clone', incarnation: 2, awaitsPlan: true },
      events: [{ type: 'node.quarantined', data: { ...about, incarnation: 2, reason: 'clone' } }],
      wakeAt: at(17),
    });
    expect(decide(decision.does === 'write' ? decision.next : first, speaksAgain, at(18)).does).toBe('nothing');
  });

  it('are found out while the node is down, too: it comes back quarantined', () => {
    const boot = { id: 'boot-bbbb', kernel: 'kernel-1', receivedAt: at(0), before: 'boot-aaaa' };
    const speaksAgain = aNodeUp({ boot: 'boot-aaaa', receivedAt: at(50) });

    const next = written(aNode({ status: 'down', boot, heardAt: at(1) }), speaksAgain, 50);

    expect(next).toMatchObject({ status: 'down', reason: 'clone', returning: { leaseUntil: at(88) } });
    expect(decide(next, speaksAgain, at(51)).does).toBe('nothing');
  });

  it('stay quarantined when one of them says, while both are silent, that it is ready', () => {
    const silent = aNode({ status: 'suspect', was: 'quarantined', reason: 'clone', unready: true });

    expect(written(silent, isReady())).toEqual({ ...aNode({ status: 'suspect', was: 'quarantined', reason: 'clone' }) });
  });

  it('are not what one machine is that restarts twice, or is heard late', () => {
    const second = written(aNode(), aNodeUp({ boot: 'boot-bbbb', receivedAt: at(10) }));

    expect(written(second, aNodeUp({ boot: 'boot-cccc', receivedAt: at(20) }), 20)).toMatchObject({ status: 'up', incarnation: 3 });
    expect(decide(second, aNodeUp({ boot: 'boot-aaaa', receivedAt: at(9) }), at(20)).does).toBe('nothing');
  });

  it('are not what one machine is whose two boots are heard at once, by a door that stood still', () => {
    const second = written(aNode(), aNodeUp({ boot: 'boot-bbbb', receivedAt: at(10) }));

    for (const seconds of [10.001, 12, 15])
      expect(decide(second, aNodeUp({ boot: 'boot-aaaa', receivedAt: at(seconds) }), at(20)).does, `${seconds} s`).toBe('nothing');
    expect(decide(second, aNodeUp({ boot: 'boot-aaaa', receivedAt: at(15.001) }), at(20)).does).toBe('write');
  });

  it('are not what one machine is whose boots are heard in the wrong order; but nobody is believed that twice', () => {
    // The later boot lives; the earlier one, overtaken on its way, is taken for a newer one and never heard again.
    const later = written(aNode(), aNodeUp({ boot: 'boot-late', receivedAt: at(10) }));
    const overtaken = written(later, aNodeUp({ boot: 'boot-earl', receivedAt: at(10.1) }));
    expect(overtaken).toMatchObject({ boot: { id: 'boot-earl', before: 'boot-late' } });

    const back = written(overtaken, aNodeUp({ boot: 'boot-late', receivedAt: at(16) }), 16);
    expect(back).toMatchObject({
      status: 'up',
      boot: { id: 'boot-late', before: 'boot-earl', again: true },
      incarnation: overtaken.incarnation + 1,
    });

    const other = aNodeUp({ boot: 'boot-earl', receivedAt: at(22) });
    expect(written(back, other, 22)).toMatchObject({ status: 'quarantined', reason: 'clone' });
    const next = written(back, aNodeUp({ boot: 'boot-next', receivedAt: at(22) }), 22);
    expect(next).toMatchObject({ status: 'up', boot: { id: 'boot-next', before: 'boot-late' } });
    expect(next.boot).not.toHaveProperty('again');
  });
});
