import { AnswerRefused } from '../refusal.ts';
import { Characters } from './characters.ts';

/** The bytes of an answer, which come in parts. */
export class Parts {
  readonly #bytesMax: number;
  readonly #characters = new Characters();
  #bytes = 0;

  /** Of an answer that may have so many bytes. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** How many have come. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * The sound beginning of the next part, a character for each byte, and whether that is all of it. Throws
   * {@link AnswerRefused} for more than there may be.
   */
  next(part: Uint8Array): { readonly text: string; readonly isSound: boolean } {
    if (this.#bytes + part.length > this.#bytesMax) throw new AnswerRefused('too-large', `it is larger than ${this.#bytesMax} bytes`);
    this.#bytes += part.length;
    const text = Buffer.from(part.buffer, part.byteOffset, part.byteLength).toString('latin1');
    const sound = this.#characters.soundIn(part, text);
    return sound === part.length ? { text, isSound: true } : { text: text.slice(0, sound), isSound: false };
  }
}
