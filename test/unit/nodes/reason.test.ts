import { describe, expect, it } from 'vitest';
import { reasonOf } from '../../../lib/nodes/reason.ts';
import { aNode, at } from '../../../tools/support/builders.ts';

const heard = 'heartbeat 118 renewed its lease';
const until = (seconds: number): string => new Date(at(seconds)).toISOString().slice(11, 19);
const boot = { id: 'boot-0001', kernel: 'kernel-1', receivedAt: at(0) };

describe('the reason of a node that was heard', () => {
  it('says until when its lease lasts, and since when its agent runs', () => {
    expect(reasonOf(aNode({ status: 'up', boot }), heard)).toBe(
      `its agent runs since ${new Date(at(0)).toISOString()}; heartbeat 118 renewed its lease until ${until(38)}`,
    );
  });

  it('says of a node that joins what it has yet to do', () => {
    expect(reasonOf(aNode({ status: 'joining', unready: true }), heard)).toBe(
      `it has joined and not reported ready yet; heartbeat 118 renewed its lease until ${until(38)}`,
    );
  });

  it('keeps why it leaves, and leaves any other reason as it is', () => {
    const leaving = aNode({ status: 'leaving', leaving: { mode: 'drain', since: at(0) } });
    expect(reasonOf(leaving, `${heard}; leaving (drain)`)).toBe(`heartbeat 118 renewed its lease until ${until(38)}; leaving (drain)`);
    expect(reasonOf(aNode(), 'it is ready')).toBe('it is ready');
  });
});
