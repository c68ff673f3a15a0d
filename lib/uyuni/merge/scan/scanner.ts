import { AnswerRefused } from '../refusal.ts';
import { Elements } from './elements.ts';
import { faultBytesMax, headIn, judgeTail, noAnswer, throwFault } from './head.ts';
import type { AnswerScanner, ScanOptions } from './options.ts';
import { Parts } from './parts.ts';

/** More than any tag, name or reference, so that reading goes on from what was left. */
const jointBytes = 2 * 1024;

/** Reads an answer of XML-RPC: whether it is a fault, and the elements of its array. */
export class Scanner implements AnswerScanner {
  readonly #options: ScanOptions;
  readonly #parts: Parts;
  readonly #elements: Elements;
  #reads: 'head' | 'fault' | 'value' | 'tail' = 'head';
  /**
   * What is not read yet, its bytes as characters: a head, a fault or an end that is not whole, and of a value the
   * beginning of a tag.
   */
  #rest = '';

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#parts = new Parts(options.limits.answerBytesMax);
    this.#elements = new Elements(options);
  }

  /** What the value is, once that is known. */
  get shape(): 'array' | 'single' | undefined {
    return this.#elements.shape;
  }

  /** Elements that were kept, and that were left out since Muster does not know an id in them. */
  get counts(): { readonly elements: number; readonly leftOut: number } {
    return this.#elements.counts;
  }

  /** Bytes of elements that have become complete since the last time. */
  take(): Buffer | undefined {
    return this.#elements.take();
  }

  /** Reads the next part. Throws {@link AnswerRefused}. */
  push(part: Uint8Array): void {
    const { elementBytesMax } = this.#options.limits;
    const { text, isSound } = this.#parts.next(part);
    this.#read(text);
    if (!isSound) throw new AnswerRefused('malformed', 'it holds bytes that are not UTF-8, or no characters of XML');
    if (this.#elements.openBytes > elementBytesMax)
      throw new AnswerRefused('too-large', `an element is larger than ${elementBytesMax} bytes`);
  }

  /** No more comes. Throws {@link AnswerRefused} for a fault, and for an answer that is not complete. */
  end(): void {
    if (this.#reads === 'fault') throwFault(Buffer.from(this.#rest, 'latin1').toString());
    if (this.#parts.bytes === 0) throw new AnswerRefused('cut-off', 'it is empty');
    if (this.#reads === 'head') noAnswer();
    if (this.#reads === 'value') throw new AnswerRefused('cut-off', `it ends within its value, after ${this.#parts.bytes} bytes`);
    judgeTail(this.#rest, true);
  }

  #read(text: string): void {
    if (this.#reads === 'value') {
      this.#readValue(text);
      return;
    }
    this.#rest += text;
    if (this.#reads === 'head') this.#readHead();
    else if (this.#reads === 'tail') judgeTail(this.#rest, false);
    else if (this.#rest.length > faultBytesMax) throw new AnswerRefused('too-large', `its fault is larger than ${faultBytesMax} bytes`);
  }

  #readHead(): void {
    const head = headIn(this.#rest);
    if (head?.holds === 'fault') this.#reads = 'fault';
    if (head?.holds !== 'value') return;
    const text = this.#rest.slice(head.at);
    this.#rest = '';
    this.#reads = 'value';
    this.#readValue(text);
  }

  /**
   * Reads a part after what was left of those before. Only its beginning is joined with that, as a text that is joined
   * of two is slow to read.
   */
  #readValue(text: string): void {
    const left = this.#rest.length;
    const at = left === 0 ? 0 : this.#readOn(this.#rest + text.slice(0, jointBytes), 0);
    if (left > 0 && (text.length <= jointBytes || this.#reads === 'tail')) this.#rest += text.slice(jointBytes);
    else if (at < left) this.#readOn(this.#rest + text.slice(jointBytes), 0);
    else this.#readOn(text, at - left);
  }

  #readOn(text: string, from: number): number {
    const at = this.#elements.read(text, from);
    this.#rest = text.slice(at);
    if (this.#elements.isDone) this.#reads = 'tail';
    return at;
  }
}
