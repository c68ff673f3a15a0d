import type { Fault } from '../xml-rpc/value.ts';
import { type DocumentForm, xmlRpcDocuments } from './documents.ts';
import type { IdPath } from './ids.ts';
import { defaultLimits, type MergeLimits } from './limits.ts';
import type { NodeAnswer, NodeEnd, NodeFailed } from './node-answer.ts';
import { NodeStream } from './node-stream.ts';
import type { ScanOptions } from './scan/options.ts';

/** How answers are merged. */
export type MergeOptions = {
  /** The documents of the nodes, and the one that comes out: of XML-RPC without it. */
  readonly form?: DocumentForm;
  /** Where ids are; none without it. */
  readonly ids?: readonly IdPath[];
  /**
   * What becomes of an element of the array with an id that Muster does not know: it is left out and counted, which is
   * the default, or its node fails. Outside of an array the node always fails.
   */
  readonly unknown?: 'leave-out' | 'fail';
  /**
   * Whether the first node that fails ends the answer. Nothing is sent before all nodes are done, or one is as far
   * ahead as it may be.
   */
  readonly strict?: boolean;
  /** The fault to answer with when every node has failed without an element; see {@link faultOfAll}. */
  readonly faultOf?: (failed: readonly NodeFailed[]) => Fault;
  readonly limits?: Partial<MergeLimits>;
  /**
   * Aborts when nobody wants the answer any more. Without it, a `body` that waits for nodes cannot be ended before one
   * of them says something.
   */
  readonly signal?: AbortSignal;
};

/**
 * The merged document, and how each node ended, in the order of the nodes. Nothing is called before `body` is read;
 * `ends` settles when `body` has ended, and never rejects.
 */
export type Merged = { readonly body: AsyncIterable<Uint8Array>; readonly ends: Promise<readonly NodeEnd[]> };

/** A node failed, and the answer is one that all must be part of. */
export class MergeFailed extends Error {
  override readonly name = 'MergeFailed';
  readonly end: NodeFailed;

  constructor(end: NodeFailed) {
    super(`${end.node}: ${end.text}`);
    this.end = end;
  }
}

/**
 * One answer with the elements of the arrays of all nodes. Memory does not grow with the answers. A node that fails
 * costs itself alone: its elements that came complete stay, and its end says why. Elements come in the order of the
 * nodes, and of each in its own, as long as no answer is larger than its share of `aheadBytesMax`. A node beyond that
 * does not wait for one before it that has nothing to give. `body` throws {@link MergeFailed} if it is strict, and the
 * reason of `signal`; until the first bytes, a fault can still be sent instead.
 */
export const mergeArrays = (nodes: readonly NodeAnswer[], options: MergeOptions = {}): Merged => merged(nodes, options, false);

/**
 * The answer of one node with its ids rewritten, whatever it holds: an array passes by elements, any other value as a
 * whole, and a fault as it is. It is strict unless that is refused, since a part of it would be taken for all.
 */
export const passAnswer = (node: NodeAnswer, options: MergeOptions = {}): Merged => merged([node], { strict: true, ...options }, true);

/** The fault of the first node that answered with one; else -1, with what became of each node. */
export function faultOfAll(failed: readonly NodeFailed[]): Fault {
  const fault = failed.find((end) => end.fault !== undefined)?.fault;
  return fault ?? { code: -1, text: `no node answered: ${failed.map(({ node, text }) => `${node}: ${text}`).join('; ')}` };
}

function merged(nodes: readonly NodeAnswer[], options: MergeOptions, mayBeSingle: boolean): Merged {
  const ends = Promise.withResolvers<readonly NodeEnd[]>();
  return { body: bodyOf(new Merge(nodes, options, mayBeSingle), options, ends.resolve), ends: ends.promise };
}

async function* bodyOf(merge: Merge, options: MergeOptions, settle: (ends: readonly NodeEnd[]) => void): AsyncGenerator<Uint8Array> {
  const { head, tail, arrayHead, arrayTail, separatorBytes } = options.form ?? xmlRpcDocuments;
  let isBegun = false;
  try {
    merge.start();
    for (;;) {
      const [first, ...more] = (await merge.next(isBegun)) ?? [];
      if (first === undefined) break;
      if (!isBegun) yield Buffer.from(merge.isSingle ? head : head + arrayHead);
      yield isBegun || merge.isSingle ? first : first.subarray(separatorBytes);
      yield* more;
      isBegun = true;
    }
    if (isBegun) yield Buffer.from(merge.isSingle ? tail : arrayTail + tail);
    else yield Buffer.from(merge.emptyDocument(options.faultOf ?? faultOfAll));
  } finally {
    settle(merge.finish());
  }
}

/** The answers of several nodes while they come. */
class Merge {
  readonly #streams: readonly NodeStream[];
  readonly #isStrict: boolean;
  readonly #mayBeSingle: boolean;
  readonly #signal: AbortSignal | undefined;
  readonly #form: DocumentForm;
  #wake = Promise.withResolvers<void>();
  readonly #changed = (): void => this.#wake.resolve();

  constructor(nodes: readonly NodeAnswer[], { ids = [], unknown = 'leave-out', ...options }: MergeOptions, mayBeSingle: boolean) {
    const all = { ...defaultLimits, ...options.limits };
    const limits = { ...all, aheadBytesMax: all.aheadBytesMax / nodes.length };
    const scan = (node: NodeAnswer): ScanOptions => ({ ids, clusterIdOf: node.clusterIdOf, unknown, mayBeSingle, limits });
    this.#form = options.form ?? xmlRpcDocuments;
    this.#streams = nodes.map((node) => new NodeStream(node, this.#form.scanner(scan(node)), limits.aheadBytesMax, this.#changed));
    this.#mayBeSingle = mayBeSingle;
    this.#isStrict = options.strict ?? false;
    this.#signal = options.signal;
  }

  /** Whether the document holds a value that is no array. */
  get isSingle(): boolean {
    return this.#mayBeSingle && this.#streams.some(({ shape }) => shape === 'single');
  }

  start(): void {
    this.#signal?.addEventListener('abort', this.#changed, { once: true });
    for (const stream of this.#streams) stream.start();
  }

  /** The next elements, once there are some; undefined at the end. */
  async next(isBegun: boolean): Promise<readonly Buffer[] | undefined> {
    for (;;) {
      this.#signal?.throwIfAborted();
      const ends = this.#streams.map(({ end }) => end);
      const failed = this.#isStrict ? ends.find((end) => end?.ok === false) : undefined;
      if (failed?.ok === false) {
        if (failed.fault && !isBegun && this.#streams.length === 1) return undefined;
        throw new MergeFailed(failed);
      }
      const isDone = !ends.includes(undefined);
      const chosen = isBegun || isDone || !this.#isStrict || this.#streams.some(({ isHeld }) => isHeld) ? this.#chosen() : undefined;
      if (chosen) return chosen.take();
      if (isDone) return undefined;
      this.#wake = Promise.withResolvers();
      await this.#wake.promise;
    }
  }

  /** The document when there was no element. */
  emptyDocument(faultOf: (failed: readonly NodeFailed[]) => Fault): string {
    const failed = this.#streams.flatMap(({ end }) => (end?.ok === false ? [end] : []));
    const { head, arrayHead, arrayTail, tail } = this.#form;
    return failed.length > 0 && failed.length === this.#streams.length
      ? this.#form.faultText(faultOf(failed))
      : head + arrayHead + arrayTail + tail;
  }

  /** Gives up what has not ended, and tells how each node ended. */
  finish(): readonly NodeEnd[] {
    this.#signal?.removeEventListener('abort', this.#changed);
    return this.#streams.map((stream) => stream.giveUp());
  }

  /** Whose elements are next: those of the first node that has not given all, or of one that can read no further. */
  #chosen(): NodeStream | undefined {
    const front = this.#streams.find(({ hasReady, end }) => hasReady || end === undefined);
    return front?.hasReady ? front : this.#streams.find(({ isHeld }) => isHeld);
  }
}
