import type { IdKind } from '../../ids.ts';
import { AnswerRefused } from '../../refusal.ts';
import { Runs } from '../kept.ts';
import { clusterIdText, type ScanOptions } from '../options.ts';

/** Before the value in an answer that passes as a whole. */
const resultName = ',"result":';

/**
 * What is kept of a result, with ids rewritten: the complete elements of an array, each after a comma, or, of a result
 * that is no array, all of it after its name.
 */
export class KeptResult {
  readonly #options: ScanOptions;
  readonly #runs = new Runs();
  #shape: 'array' | 'single' | undefined;
  #elements = 0;
  #leftOut = 0;
  #isOpen = false;
  #isLeftOut = false;

  constructor(options: ScanOptions) {
    this.#options = options;
  }

  get shape(): 'array' | 'single' | undefined {
    return this.#shape;
  }
  get counts(): { readonly elements: number; readonly leftOut: number } {
    return { elements: this.#elements, leftOut: this.#leftOut };
  }
  /** Whether an element, or a result that is no array, has begun and not ended. */
  get isOpen(): boolean {
    return this.#isOpen;
  }
  /** How large the element is that is not complete. */
  get openBytes(): number {
    return this.#runs.openBytes;
  }
  /** Bytes of elements that have become complete since the last time. */
  take(): Buffer | undefined {
    return this.#runs.take();
  }

  /** A part begins, whose bytes are the characters of `text`. */
  readPart(text: string): void {
    this.#runs.read(text, this.#isOpen ? 0 : undefined);
  }
  /** The part is read up to here. */
  readTo(at: number): void {
    this.#runs.readTo(at);
  }

  /** The result is an array. */
  beArray(): void {
    this.#shape = 'array';
  }
  /** The result is none. Throws {@link AnswerRefused} where it must be. */
  beSingle(): void {
    this.#shape = 'single';
    if (!this.#options.mayBeSingle) throw new AnswerRefused('not-an-array', 'its value is not an array');
  }

  /** An element begins here; `comma` is where the last one was in this part. */
  beginElement(at: number, comma: number): void {
    this.#runs.start(comma === at - 1 ? comma : at);
    if (comma !== at - 1) this.#runs.replace(at, at, ',');
    this.#open();
  }
  /** A result begins here that is no array. Throws {@link AnswerRefused} where it must be. */
  beginSingle(at: number): void {
    this.beSingle();
    this.#runs.start(at);
    this.#runs.replace(at, at, resultName);
    this.#open();
  }
  #open(): void {
    this.#isOpen = true;
    this.#isLeftOut = false;
  }

  /** What has begun ends here. */
  end(at: number): void {
    this.#isOpen = false;
    if (this.#isLeftOut) {
      this.#leftOut++;
      this.#runs.drop(at);
    } else {
      this.#elements++;
      this.#runs.end(at);
    }
  }

  /** The id between two offsets is written as that in the cluster, or its element is left out. */
  rewrite(kind: IdKind, text: string, from: number, to: number): void {
    if (this.#isLeftOut) return;
    const local = text.slice(from, to);
    const id = clusterIdText(this.#options, kind, local, this.#shape === 'array');
    if (id === undefined) this.#isLeftOut = true;
    else if (id !== local) this.#runs.replace(from, to, id);
  }
}
