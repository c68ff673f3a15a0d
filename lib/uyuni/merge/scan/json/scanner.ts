import { AnswerRefused } from '../../refusal.ts';
import type { AnswerScanner, ScanOptions } from '../options.ts';
import { Parts } from '../parts.ts';
import { JsonElements } from './elements.ts';

/** Reads an answer of the JSON interface: whether it is a success, and the elements of its result. */
export class JsonScanner implements AnswerScanner {
  readonly #options: ScanOptions;
  readonly #parts: Parts;
  readonly #elements: JsonElements;
  /** What is not read yet, its bytes as characters: a name, a number or a short string that is not whole. */
  #rest = '';
  /** Whether it has ended without a result, which is an answer without an element. */
  #isWithout = false;

  constructor(options: ScanOptions) {
    this.#options = options;
    this.#parts = new Parts(options.limits.answerBytesMax);
    this.#elements = new JsonElements(options);
  }

  get shape(): 'array' | 'single' | undefined {
    return this.#elements.kept.shape;
  }

  get counts(): { readonly elements: number; readonly leftOut: number } {
    return this.#elements.kept.counts;
  }

  take(): Buffer | undefined {
    if (!this.#isWithout) return this.#elements.kept.take();
    this.#isWithout = false;
    return Buffer.alloc(0);
  }

  push(part: Uint8Array): void {
    const { elementBytesMax } = this.#options.limits;
    const { text, isSound } = this.#parts.next(part);
    const all = this.#rest + text;
    this.#rest = all.slice(this.#elements.read(all));
    if (!isSound) throw new AnswerRefused('malformed', 'it holds bytes that are not UTF-8, or no characters of JSON');
    if (this.#elements.kept.openBytes > elementBytesMax)
      throw new AnswerRefused('too-large', `an element is larger than ${elementBytesMax} bytes`);
  }

  end(): void {
    if (this.#parts.bytes === 0) throw new AnswerRefused('cut-off', 'it is empty');
    if (!this.#elements.isDone) throw new AnswerRefused('cut-off', `it ends within its value, after ${this.#parts.bytes} bytes`);
    const hadResult = this.shape !== undefined;
    this.#elements.close();
    this.#isWithout = !hadResult;
  }
}
