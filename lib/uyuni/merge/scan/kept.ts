/**
 * Bytes that are kept as elements of an answer: of those that are complete, and of one that is not yet. Parts are
 * copied, so that none holds what it came from.
 */
export class Kept {
  #bytes = Buffer.allocUnsafe(firstBytes);
  #length = 0;
  /** Where the complete elements end. */
  #complete = 0;
  /** Where the element that is not complete begins. */
  #started = 0;

  /** Adds the bytes that are characters of a text, from one offset to another. */
  add(text: string, start: number, end: number): void {
    if (end <= start) return;
    this.#ensure(end - start);
    this.#length += this.#bytes.write(text.slice(start, end), this.#length, 'latin1');
  }

  /** Forgets everything. */
  clear(): void {
    this.#length = this.#complete = this.#started = 0;
  }

  /** An element begins here, after `more` bytes that are still to be added. */
  start(more: number): void {
    this.#started = this.#length + more;
  }

  /** The element is complete after `more` bytes that are still to be added. */
  complete(more: number): void {
    this.#complete = this.#length + more;
  }

  /** Takes back the element that has begun: returns how many of the bytes still to be added are before it. */
  drop(): number {
    const more = Math.max(0, this.#started - this.#length);
    this.#length = Math.min(this.#length, this.#started);
    return more;
  }

  /** How large the element is that is not complete. */
  get openBytes(): number {
    return this.#length - this.#complete;
  }

  /** The bytes of elements that have become complete, once. */
  take(): Buffer | undefined {
    if (this.#complete === 0) return undefined;
    const taken = this.#bytes.subarray(0, this.#complete);
    const rest = this.#bytes.subarray(this.#complete, this.#length);
    this.#bytes = Buffer.allocUnsafe(Math.max(firstBytes, rest.length * 2));
    this.#length = rest.copy(this.#bytes);
    this.#started = Math.max(0, this.#started - this.#complete);
    this.#complete = 0;
    return taken;
  }

  #ensure(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + more));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}

/** Room for what a part of 64 KiB holds, with ids that became longer. */
const firstBytes = 72 * 1024;
