import { describe, expect, it } from 'vitest';
import { decide } from '../../../lib/nodes/decide.ts';
import type { Node } from '../../../lib/nodes/node.ts';
import { aNode, at } from '../../../tools/support/builders.ts';
import { aBeat, aNodeUp, drop, hasReleased, isLeaving, isReady, leave, stay, tick } from './reports.ts';

describe('what waits for the plan of the zone', () => {
  it('keeps the node due, and no report, order or tick takes it away', () => {
    const boot = { id: 'boot-bbbb', kernel: 'kernel-1', receivedAt: at(0), before: 'boot-aaaa' };
    const waits = { awaitsPlan: true, boot } as const;
    const nodes: Node[] = [
      aNode(waits),
      aNode({ status: 'joining', ...waits }),
      aNode({ status: 'suspect', ...waits }),
      aNode({ status: 'down', ...waits }),
      aNode({ status: 'leaving', ...waits }),
      aNode({ status: 'quarantined', ...waits }),
    ];
    const ups = [aNodeUp({ boot: 'boot-cccc' }), aNodeUp(), aNodeUp({ boot: 'boot-aaaa' })];
    for (const node of nodes)
      for (const input of [...ups, aBeat(), isReady(), isLeaving('drain'), hasReleased(3), stay, drop, leave('hold')]) {
        const decision = decide(node, input, at(10));
        const after = decision.does === 'write' ? decision.next : node;
        expect(after.awaitsPlan, `${node.status} after ${input.type}`).toBe(true);
        expect(decide(after, tick, at(10)).does === 'nothing' && decide(after, tick, at(10))).toMatchObject({ wakeAt: at(10) });
      }
  });

  it('is also the order to drop, until the plan has carried it out', () => {
    const boot = { id: 'boot-bbbb', kernel: 'kernel-1', receivedAt: at(0), before: 'boot-aaaa' };
    const ordered = { ordered: 'drop', awaitsPlan: true, boot } as const;
    const nodes: Node[] = [
      aNode(ordered),
      aNode({ status: 'joining', ...ordered }),
      aNode({ status: 'suspect', ...ordered }),
      aNode({ status: 'down', ...ordered }),
      aNode({ status: 'leaving', ...ordered }),
      aNode({ status: 'quarantined', ...ordered }),
    ];
    const ups = [aNodeUp({ boot: 'boot-cccc' }), aNodeUp(), aNodeUp({ boot: 'boot-aaaa' })];
    for (const node of nodes)
      for (const input of [...ups, aBeat(), isReady(), isLeaving('drain'), isLeaving('hold'), hasReleased(3), stay, drop]) {
        const decision = decide(node, input, at(10));
        expect(decision.does === 'write' ? decision.next : node, `${node.status} after ${input.type}`).toMatchObject({ ordered: 'drop' });
      }
  });
});
