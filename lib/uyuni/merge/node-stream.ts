import type { NodeAnswer, NodeEnd } from './node-answer.ts';
import { AnswerRefused } from './refusal.ts';
import type { AnswerScanner } from './scan/options.ts';

/** Larger parts are read in pieces of this size, so that no node has the processor for long. */
const pieceBytes = 64 * 1024;

/** The answer of one node while it comes: read ahead up to a bound, and then only as it is taken. */
export class NodeStream {
  readonly #node: NodeAnswer;
  readonly #scanner: AnswerScanner;
  readonly #aheadBytesMax: number;
  readonly #changed: () => void;
  readonly #call = new AbortController();
  readonly #whenLate = (): void => void this.#fail(new AnswerRefused('deadline', 'it did not answer in time'));
  #ready: Buffer[] = [];
  #readyBytes = 0;
  #end: NodeEnd | undefined;
  #broke: { readonly error: unknown } | undefined;
  /** Lets reading go on, while it waits for room. */
  #resume: (() => void) | undefined;

  /** `changed` is called when there is something to take, or the answer has ended. */
  constructor(node: NodeAnswer, scanner: AnswerScanner, aheadBytesMax: number, changed: () => void) {
    this.#node = node;
    this.#scanner = scanner;
    this.#aheadBytesMax = aheadBytesMax;
    this.#changed = changed;
  }

  /** How it ended, once it has. Throws what was thrown that is not about the answer, such as by `clusterIdOf`. */
  get end(): NodeEnd | undefined {
    if (this.#broke) throw this.#broke.error;
    return this.#end;
  }
  get hasReady(): boolean {
    return this.#ready.length > 0;
  }
  /** Whether it was read as far ahead as it may be, and waits. */
  get isHeld(): boolean {
    return this.#resume !== undefined;
  }
  get shape(): 'array' | 'single' | undefined {
    return this.#scanner.shape;
  }

  /** Begins the call, and reads. */
  start(): void {
    const late = this.#node.deadline?.signal;
    late?.addEventListener('abort', this.#whenLate, { once: true });
    if (late?.aborted) this.#whenLate();
    else void this.#read();
  }

  /** Elements that are complete, once. */
  take(): readonly Buffer[] {
    const taken = this.#ready;
    this.#ready = [];
    this.#readyBytes = 0;
    this.#resume?.();
    return taken;
  }

  /** Ends the call, unless it has ended, and tells how it did. */
  giveUp(): NodeEnd {
    return this.#end ?? this.#fail(new AnswerRefused('given-up', 'the merge ended before it'));
  }

  async #read(): Promise<void> {
    try {
      for await (const part of await this.#node.open(this.#call.signal)) {
        for (let at = 0; at < part.length && this.#end === undefined; at += pieceBytes) {
          this.#scan(() => this.#scanner.push(part.subarray(at, at + pieceBytes)));
          if (this.#readyBytes >= this.#aheadBytesMax) await this.#room();
        }
        if (this.#end !== undefined) return;
      }
      this.#scan(() => this.#scanner.end());
      this.#finish({ ...this.#counted(), ok: true });
    } catch (error) {
      this.#fail(
        error instanceof AnswerRefused ? error : new AnswerRefused('lost', error instanceof Error ? error.message : String(error)),
      );
    }
  }

  /** Has the scanner read, and takes what is complete then, also if the rest is refused. */
  #scan(step: () => void): void {
    if (this.#end !== undefined) return;
    const refused = this.#refusedIn(step);
    const complete = this.#scanner.take();
    if (complete !== undefined) {
      this.#ready.push(complete);
      this.#readyBytes += complete.length;
      this.#changed();
    }
    if (refused) this.#fail(refused);
  }

  /** Why the scanner refuses the answer; what else it throws is a defect, and ends the whole merge. */
  #refusedIn(step: () => void): AnswerRefused | undefined {
    try {
      step();
      return undefined;
    } catch (error) {
      if (error instanceof AnswerRefused) return error;
      this.#broke = { error };
      return new AnswerRefused('given-up', 'the merge broke');
    }
  }

  async #room(): Promise<void> {
    this.#node.deadline?.hold?.();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#resume = resolve;
    this.#changed();
    await promise;
    this.#resume = undefined;
    this.#node.deadline?.resume?.();
  }

  #counted(): { readonly node: string; readonly elements: number; readonly leftOut: number } {
    return { node: this.#node.node, ...this.#scanner.counts };
  }

  #fail(refused: AnswerRefused): NodeEnd {
    if (this.#end !== undefined) return this.#end;
    const { code, message: text, fault } = refused;
    const end = this.#finish({ ...this.#counted(), ok: false, code, text, ...(fault && { fault }) });
    this.#call.abort(refused);
    return end;
  }

  #finish(end: NodeEnd): NodeEnd {
    if (this.#end !== undefined) return this.#end;
    this.#end = end;
    this.#node.deadline?.signal.removeEventListener('abort', this.#whenLate);
    this.#resume?.();
    this.#changed();
    return end;
  }
}
