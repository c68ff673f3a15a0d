import type { NodeAnswer, NodeEnd } from '../../lib/uyuni/merge/node-answer.ts';
import { AnswerRefused } from '../../lib/uyuni/merge/refusal.ts';
import type { Fault } from '../../lib/uyuni/xml-rpc/value.ts';
import { BrokenOff, type GatewayAnswer } from './merging.ts';
import type { Replies } from './replies.ts';

/**
 * The answer of the only node, byte for byte. If it does not begin, a fault; if it breaks off, the parts throw, so that
 * the caller sees no whole answer.
 */
export function untouched(
  answer: NodeAnswer,
  signal: AbortSignal,
  replies: Replies,
  faultOf: (ends: readonly NodeEnd[]) => Fault,
): GatewayAnswer {
  const ends = Promise.withResolvers<readonly NodeEnd[]>();
  const gone = AbortSignal.any([signal, ...(answer.deadline ? [answer.deadline.signal] : [])]);
  const failedBy = (error: unknown): NodeEnd => {
    if (error instanceof AnswerRefused) return failedWith(answer.node, error);
    const isLate = answer.deadline?.signal.aborted === true;
    const text = isLate ? 'it did not answer in time' : error instanceof Error ? error.message : String(error);
    return { node: answer.node, ok: false, code: isLate ? 'deadline' : 'lost', text, elements: 0, leftOut: 0 };
  };
  async function* body(): AsyncGenerator<Uint8Array> {
    let parts: AsyncIterable<Uint8Array>;
    try {
      parts = await answer.open(gone);
    } catch (error) {
      const end = [failedBy(error)];
      ends.resolve(end);
      yield Buffer.from(replies.faultText(faultOf(end)));
      return;
    }
    let end: NodeEnd = { node: answer.node, ok: true, elements: 0, leftOut: 0 };
    try {
      for await (const part of parts) {
        // A caller that reads slowly uses up none of the node's time.
        answer.deadline?.hold?.();
        yield part;
        answer.deadline?.resume?.();
      }
    } catch (error) {
      end = failedBy(error);
      throw new BrokenOff(faultOf([end]), { cause: error });
    } finally {
      ends.resolve([end]);
    }
  }
  return { body: body(), ends: ends.promise, http: replies.http };
}

const failedWith = (node: string, { code, message: text, fault }: AnswerRefused): NodeEnd => ({
  ...{ node, ok: false, code, text, elements: 0, leftOut: 0 },
  ...(fault && { fault }),
});
