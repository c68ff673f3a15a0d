import { NotXmlRpc, type Value } from '../xml-rpc/value.ts';
import { xmlRpcDocuments } from './documents.ts';
import { defaultLimits } from './limits.ts';
import { MergeFailed, type MergeOptions, passAnswer } from './merge.ts';
import type { NodeAnswer, NodeEnd, NodeFailed } from './node-answer.ts';

/** The values that nodes returned, with ids of the cluster, and how each node ended: both in the order of the nodes. */
export type Collected = {
  readonly answers: readonly { readonly node: string; readonly value: Value }[];
  readonly ends: readonly NodeEnd[];
};

/**
 * Reads the answers of all nodes into trees, at once: for what must be merged by more than putting arrays one after
 * another. An answer above `treeBytesMax` costs its node. Throws the reason of `signal`.
 */
export async function collectAnswers(
  nodes: readonly NodeAnswer[],
  options: Omit<MergeOptions, 'strict' | 'faultOf'> = {},
): Promise<Collected> {
  const all = await Promise.all(nodes.map((node) => collected(node, options)));
  return {
    answers: all.flatMap(({ end, value }) => (end.ok && value !== undefined ? [{ node: end.node, value }] : [])),
    ends: all.map(({ end }) => end),
  };
}

type One = { readonly end: NodeEnd; readonly value?: Value };

async function collected(node: NodeAnswer, options: MergeOptions): Promise<One> {
  const limits = { ...defaultLimits, ...options.limits };
  const { body, ends } = passAnswer(node, { ...options, strict: true, limits: { ...limits, answerBytesMax: limits.treeBytesMax } });
  try {
    const text = await textOf(body);
    const [end] = await ends;
    if (end === undefined) throw new Error(`${node.node} has not ended`);
    if (!end.ok) return { end: unused(end) };
    const response = (options.form ?? xmlRpcDocuments).readResponse(text);
    return response.ok ? { end, value: response.value } : { end };
  } catch (error) {
    if (error instanceof MergeFailed) return { end: unused(error.end) };
    if (error instanceof NotXmlRpc)
      return { end: { node: node.node, ok: false, code: 'malformed', text: error.message, elements: 0, leftOut: 0 } };
    throw error;
  }
}

/** Of an answer that failed, nothing is in the result. */
const unused = (end: NodeFailed): NodeFailed => ({ ...end, elements: 0, leftOut: 0 });

async function textOf(body: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts).toString();
}
