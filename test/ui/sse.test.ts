import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Message, MessageReader } from '../../ui/live/sse.ts';

const stream = ': the events\n\nid: 4.0\nevent: node.lost\ndata: {"a": "x: y"}\n\n: still here\n\nid: 4.1\ndata: 1\ndata: 2\n\n';

describe('server-sent events', () => {
  it('are read the same, wherever the stream is cut into pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: stream.length }), { maxLength: 12 }), (cuts) => {
        const given: Message[] = [];
        const reader = new MessageReader((message) => given.push(message));
        const at = [0, ...cuts.sort((a, b) => a - b), stream.length];
        for (let n = 1; n < at.length; n++) reader.take(stream.slice(at[n - 1], at[n]));
        expect(given).toEqual([{}, { id: '4.0', data: '{"a": "x: y"}' }, {}, { id: '4.1', data: '1\n2' }]);
      }),
    );
  });
});
