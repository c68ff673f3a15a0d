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
  /**
   * What is not read yet, its bytes as characters: a head, a fault or an end that is not whole, and of a value the
   * beginning of a tag.
   */
  #rest = '';
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
    if (this.#bytes + part.length > answerBytesMax) throw new AnswerRefused('too-large', `it is larger than ${answerBytesMax} bytes`);
    this.#bytes += part.length;
    const text = Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('latin1');
    const sound = this.#characters.soundIn(part, text);
    this.#read(this.#rest + (sound === part.length ? text : text.slice(0, sound)));
    if (sound < part.length) throw new AnswerRefused('malformed', 'it holds bytes that are not UTF-8, or no characters of XML');
    if (this.#elements.openBytes > elementBytesMax)
      throw new AnswerRefused('too-large', `an element is larger than ${elementBytesMax} bytes`);
  }

  /** No more comes. Throws {@link AnswerRefused} for a fault, and for an answer that is not complete. */
  end(): void {
    if (this.#reads === 'fault') throwFault(Buffer.from(this.#rest, 'latin1').toString());
    if (this.#bytes === 0) throw new AnswerRefused('cut-off', 'it is empty');
    if (this.#reads === 'head') noAnswer();
    if (this.#reads === 'value') throw new AnswerRefused('cut-off', `it ends within its value, after ${this.#bytes} bytes`);
    judgeTail(this.#rest, true);
  }

  #read(text: string): void {
    this.#rest = text;
    if (this.#reads === 'value') this.#readValue(text);
    else if (this.#reads === 'head') this.#readHead(text);
    else if (this.#reads === 'tail') judgeTail(text, false);
    else if (text.length > faultBytesMax) throw new AnswerRefused('too-large', `its fault is larger than ${faultBytesMax} bytes`);
  }

  #readHead(text: string): void {
    const head = headIn(text);
    if (head?.holds === 'fault') this.#reads = 'fault';
    if (head?.holds !== 'value') return;
    this.#reads = 'value';
    this.#readValue(text.slice(head.at));
  }

  #readValue(text: string): void {
    this.#rest = text.slice(this.#elements.read(text));
    if (this.#elements.isDone) this.#reads = 'tail';
  }
}
