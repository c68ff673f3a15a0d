import { returns } from '../../lib/uyuni/api/returns.ts';
import { collectAnswers } from '../../lib/uyuni/merge/collect.ts';
import { type MergeOptions, mergeArrays } from '../../lib/uyuni/merge/merge.ts';
import type { NodeAnswer, NodeEnd } from '../../lib/uyuni/merge/node-answer.ts';
import { mergeValues, NotMergeable } from '../../lib/uyuni/merge/trees.ts';
import type { Fault, Value } from '../../lib/uyuni/xml-rpc/value.ts';
import type { GatewayEnd } from './asking.ts';
import type { Http, Replies } from './replies.ts';

/**
 * An answer in parts, its status and type, which are known once the first part has been read, and how each node ended,
 * which is once all have.
 */
export type GatewayAnswer = {
  readonly body: AsyncIterable<Uint8Array>;
  readonly ends: Promise<readonly GatewayEnd[]>;
  http(): Http;
};

/** How answers become one, and the fault that names a node that failed, for callers to whom a part is of no use. */
export type Merging = MergeOptions & {
  readonly form: Replies;
  readonly faultOf: (ends: readonly NodeEnd[]) => Fault;
  strictFault(end: NodeEnd): Fault;
  /** Whether a node that failed may have carried out what it was asked. */
  mayHaveDone(end: NodeEnd): boolean;
};

/** An answer broke off. As long as none of it was sent, the fault can be sent in its place. */
export class BrokenOff extends Error {
  override readonly name = 'BrokenOff';
  readonly fault: Fault;
  constructor(fault: Fault, options: ErrorOptions) {
    super(fault.text, options);
    this.fault = fault;
  }
}

/** An answer that is known whole. */
export const whole = ({ http }: Replies, document: string, ends: readonly GatewayEnd[] = []): GatewayAnswer => ({
  body: (async function* () {
    yield Buffer.from(document);
  })(),
  ends: Promise.resolve(ends),
  http,
});

/** A fault as an answer. */
export const faulty = (replies: Replies, fault: Fault, ends: readonly GatewayEnd[] = []): GatewayAnswer =>
  whole(replies, replies.faultText(fault), ends);

/** The answers of several nodes to a method as one: lists one after the other, the rest by the rule of the method. */
export async function mergeAll(name: string, nodes: readonly NodeAnswer[], options: Merging): Promise<GatewayAnswer> {
  const rule = returns.get(name)?.merge ?? { how: 'concat' };
  if (rule.how === 'concat') return { ...mergeArrays(nodes, options), http: options.form.http };
  return collected(nodes, options, (values) => mergeValues(rule, values));
}

/** The answers of nodes that were asked to do something: one fault if any has not, since a part would look like all. */
export async function mergeDone(gives: 'lists' | 'done', nodes: readonly NodeAnswer[], options: Merging): Promise<GatewayAnswer> {
  const { answers, ends } = await collectAnswers(nodes, options);
  const failed = ends.filter((end) => !end.ok);
  if (failed.length > 0) return faulty(options.form, partlyDone(ends, options), ends);
  const values = answers.map(({ value }) => value);
  return whole(options.form, options.form.responseText(gives === 'done' ? (values[0] ?? 1) : values.flat()), ends);
}

/** The fault of a write that not all nodes have done: of each it says what is known. */
export function partlyDone(ends: readonly NodeEnd[], { faultOf, mayHaveDone }: Merging): Fault {
  const fault = faultOf(ends.filter((end) => !end.ok));
  const known = Object.groupBy(ends, (end) => (end.ok ? 'done' : mayHaveDone(end) ? 'perhaps' : 'not'));
  const on = (what: string, some: readonly NodeEnd[] | undefined): string[] =>
    some === undefined ? [] : [`${what} on ${some.map(({ node }) => node).join(', ')}`];
  const where = [
    ...on('not done', known.not),
    ...on('perhaps done', known.perhaps),
    ...(known.done ? on('done', known.done) : ['done on none']),
  ];
  return { ...fault, text: `${fault.text} (${where.join('; ')})` };
}

async function collected(
  nodes: readonly NodeAnswer[],
  options: Merging,
  merge: (values: readonly Value[]) => Value,
): Promise<GatewayAnswer> {
  return mergedOf(await collectAnswers(nodes, options), options, merge);
}

/** Values that were collected as one, which `merge` makes of them. A part will do unless it is strict. */
export function mergedOf(
  { answers, ends }: { readonly answers: readonly { readonly value: Value }[]; readonly ends: readonly GatewayEnd[] },
  options: Merging,
  merge: (values: readonly Value[]) => Value,
): GatewayAnswer {
  if (answers.length === 0) return faulty(options.form, options.faultOf(ends), ends);
  const failed = ends.find(({ ok }) => !ok);
  if (failed && options.strict) return faulty(options.form, options.strictFault(failed), ends);
  try {
    return whole(options.form, options.form.responseText(merge(answers.map(({ value }) => value))), ends);
  } catch (error) {
    if (!(error instanceof NotMergeable)) throw error;
    const text = `unhandled internal exception: the answers of the servers cannot be merged: ${error.message}`;
    return faulty(options.form, { code: -1, text }, ends);
  }
}
