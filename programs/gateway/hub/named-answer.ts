import { type FailedServer, failedValue } from '../../../lib/uyuni/gateway/hub/results.ts';
import { type DocumentForm, xmlRpcDocuments } from '../../../lib/uyuni/merge/documents.ts';
import { defaultLimits } from '../../../lib/uyuni/merge/limits.ts';
import { type Merged, MergeFailed, type MergeOptions, passAnswer } from '../../../lib/uyuni/merge/merge.ts';
import type { NodeAnswer, NodeEnd, NodeFailed } from '../../../lib/uyuni/merge/node-answer.ts';
import type { Fault } from '../../../lib/uyuni/xml-rpc/value.ts';
import { valueText } from '../../../lib/uyuni/xml-rpc/write.ts';
import type { Round } from '../asking.ts';
import type { GatewayAnswer } from '../merging.ts';
import { xmlRpcReplies } from '../replies.ts';

/** A server that a call names, by its number: how its answer is had, or why it is not asked. */
export type Named = { readonly id: number } & ({ readonly answer: NodeAnswer } | { readonly fault: Fault });

/** The round in which servers are asked, whether the method only reads, and how answers are read. */
export type Naming = { readonly round: Round; readonly reads: boolean; readonly options: MergeOptions };

/** The largest answer of one server: it is held whole, as one that breaks off must not be a success. */
const answerBytesMax = 64 * 1024 * 1024;

/** The value of an answer alone, in place of a document. */
const bare: DocumentForm = { ...xmlRpcDocuments, head: '<value>', tail: '' };

const head = '<struct><member><name>Successful</name><value><struct><member><name>Responses</name><value><array><data>';
const middle = '</data></array></value></member><member><name>ServerIds</name>';

/**
 * The answer that has each server once, in the order in which they were named: among those that succeeded, with its
 * value as it wrote it but for ids, or among those that failed, with the reason. All are asked at once; values follow
 * each other as they come, and at most one is held.
 */
export function namedAnswer(named: readonly Named[], naming: Naming): GatewayAnswer {
  const ends = Promise.withResolvers<readonly NodeEnd[]>();
  return {
    body: bodyOf(named, naming, ends.resolve),
    ends: ends.promise.then((all) => naming.round.learn(all)),
    http: xmlRpcReplies.http,
  };
}

async function* bodyOf(
  named: readonly Named[],
  { round, reads, options }: Naming,
  settle: (ends: Promise<readonly NodeEnd[]>) => void,
): AsyncGenerator<Uint8Array> {
  const left = new AbortController();
  const signal = AbortSignal.any([left.signal, ...(options.signal ? [options.signal] : [])]);
  const limits = { answerBytesMax, aheadBytesMax: defaultLimits.aheadBytesMax / Math.max(1, named.length) };
  const opened = named.map((one) =>
    'answer' in one ? begun(passAnswer(one.answer, { ...options, signal, limits, form: bare, strict: true })) : one,
  );
  const succeeded: number[] = [];
  const failed: FailedServer[] = [];
  try {
    yield Buffer.from(xmlRpcDocuments.head + head);
    for (const [n, { id }] of named.entries()) {
      const one = opened[n];
      if (one === undefined) continue;
      const value = 'fault' in one ? one : await valueAt(one);
      if ('fault' in value) failed.push({ id, fault: value.fault });
      else if ('end' in value) failed.push({ id, fault: faultAt(value.end, round, reads) });
      else {
        succeeded.push(id);
        yield* value.parts;
      }
    }
    const tail = `</member></struct></value></member><member><name>Failed</name>${valueText(failedValue(failed))}</member></struct></value>`;
    yield Buffer.from(middle + valueText(succeeded) + tail + xmlRpcDocuments.tail);
  } finally {
    left.abort(new Error('the answer is not read any more'));
    // One whose next part nobody waits for does not hear of that by itself, and would keep its connection.
    for (const one of opened) if (!('fault' in one)) one.parts.return?.().catch(() => undefined);
    settle(Promise.all(opened.flatMap((one) => ('fault' in one ? [] : [endOf(one.merged)]))));
  }
}

type Begun = { readonly merged: Merged; readonly parts: AsyncIterator<Uint8Array>; readonly first: Promise<IteratorResult<Uint8Array>> };

/** Calls the server now, and not only when its turn has come. */
function begun(merged: Merged): Begun {
  const parts = merged.body[Symbol.asyncIterator]();
  const first = parts.next();
  // Its turn may come after it was rejected, and a rejection without a listener ends the program.
  first.catch(() => undefined);
  return { merged, parts, first };
}

async function endOf({ ends }: Merged): Promise<NodeEnd> {
  const [end] = await ends;
  if (!end) throw new Error('the answer of a server has not ended');
  return end;
}

/** The whole value of a server, or how it failed. Throws the reason for which nobody wants it any more. */
async function valueAt({ merged, parts, first }: Begun): Promise<{ readonly parts: readonly Uint8Array[] } | { readonly end: NodeFailed }> {
  const read: Uint8Array[] = [];
  try {
    for (let next = await first; !next.done; next = await parts.next()) read.push(next.value);
  } catch (error) {
    if (!(error instanceof MergeFailed)) throw error;
    return { end: error.end };
  }
  const end = await endOf(merged);
  return end.ok ? { parts: read } : { end };
}

/** Why a server has failed. Of one that may have done what it was asked, it says so. */
function faultAt(end: NodeFailed, round: Round, reads: boolean): Fault {
  const fault = round.faultOf([end]);
  return reads || !round.mayHaveDone(end) ? fault : { ...fault, text: `${fault.text} (perhaps done)` };
}
