import { AnswerRefused } from '../refusal.ts';
import { Characters } from './characters.ts';
import { Elements, type ScanOptions } from './elements.ts';
import { faultBytesMax, headIn, judgeTail, noAnswer, throwFault } from './head.ts';

/**
 * Reads an answer that comes in parts of any size: whether it is a fault, and the elements of its array. After a throw
 * of {@link AnswerRefused}, {@link take} still gives the elements that were complete before.
 */
export class Scanner {
  readonly #options: ScanOptions;
  readonly #characters = new Characters();
  readonly #elements: Elements;
  #reads: 'head' | 'fault' | 'value' | 'tail' = 'head';
  /** What is not read yet: a head, a fault or an end that is not whole, and of a value the beginning of a tag. */
  #rest: Buffer = Buffer.alloc(0);
  #bytes = 0;

  constructor(options: ScanOptions) {
    this.#options = options;
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
    const { answerBytesMax, elementBytesMax } = this.#options.limits;
    const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
    if (this.#bytes + bytes.length > answerBytesMax) throw new AnswerRefused('too-large', `it is larger than ${answerBytesMax} bytes`);
    const sound = this.#characters.soundIn(bytes, bytes.toString('latin1'));
    this.#read(bytes.subarray(0, sound));
    this.#bytes += bytes.length;
    if (sound < bytes.length) throw new AnswerRefused('malformed', 'it holds bytes that are not UTF-8, or no characters of XML');
    if (this.#elements.openBytes > elementBytesMax)
      throw new AnswerRefused('too-large', `an element is larger than ${elementBytesMax} bytes`);
  }

  /** No more comes. Throws {@link AnswerRefused} for a fault, and for an answer that is not complete. */
  end(): void {
    if (this.#reads === 'fault') throwFault(this.#rest.toString());
    if (this.#bytes === 0) throw new AnswerRefused('cut-off', 'it is empty');
    if (this.#reads === 'head') noAnswer();
    if (this.#reads === 'value') throw new AnswerRefused('cut-off', `it ends within its value, after ${this.#bytes} bytes`);
    judgeTail(this.#rest.toString('latin1'), true);
  }

  #read(part: Buffer): void {
    const all = this.#rest.length === 0 ? part : Buffer.concat([this.#rest, part]);
    this.#rest = all;
    if (this.#reads === 'value') this.#readValue(all);
    else if (this.#reads === 'head') this.#readHead();
    else if (this.#reads === 'tail') judgeTail(all.toString('latin1'), false);
    else if (all.length > faultBytesMax) throw new AnswerRefused('too-large', `its fault is larger than ${faultBytesMax} bytes`);
  }

  #readHead(): void {
    const head = headIn(this.#rest.toString('latin1'));
    if (head?.holds === 'fault') this.#reads = 'fault';
    if (head?.holds !== 'value') return;
    this.#reads = 'value';
    this.#readValue(this.#rest.subarray(head.at));
  }

  #readValue(all: Buffer): void {
    this.#rest = all.subarray(this.#elements.read(all));
    if (this.#elements.isDone) this.#reads = 'tail';
  }
}
