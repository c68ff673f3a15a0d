/**
 * Bytes that are kept as elements of an answer: of those that are complete, and of one that is not yet. Parts are
 * copied, so that none holds what it came from.
 */
class Kept {
  /** Small at first: many answers are, and there may be many nodes. */
  #bytes = Buffer.allocUnsafe(4 * 1024);
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
    this.#bytes = Buffer.allocUnsafe(Math.max(partBytes, rest.length * 2));
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

/** Room for what a part of 64 KiB holds, with ids that became longer: where there was one part, there are more. */
const partBytes = 72 * 1024;

/**
 * What is kept of the parts of an answer. Bytes that stay as they are are copied in runs that are as long as possible:
 * over many elements, if nothing is between them and no id in them.
 */
export class Runs {
  readonly #kept = new Kept();
  #text = '';
  /** The run that is not copied yet: from where, and up to where if it has an end. */
  #from: number | undefined;
  #to: number | undefined;

  /** How large the element is that is not complete. */
  get openBytes(): number {
    return this.#kept.openBytes;
  }

  /** The bytes of elements that have become complete, once. */
  take(): Buffer | undefined {
    return this.#kept.take();
  }

  /** A part begins, whose bytes are the characters of `text`; from where on it is of an element that has begun. */
  read(text: string, from: number | undefined): void {
    this.#text = text;
    this.#from = from;
    this.#to = undefined;
  }

  /** The part ends here, or is read up to here. */
  readTo(at: number): void {
    if (this.#from !== undefined) this.#kept.add(this.#text, this.#from, this.#to ?? at);
  }

  /** Forgets all that was kept, and keeps nothing before the next element. */
  clear(): void {
    this.#kept.clear();
    this.#from = undefined;
  }

  /** An element begins. */
  start(at: number): void {
    if (this.#from !== undefined && this.#to !== at) {
      this.readTo(at);
      this.#from = undefined;
    }
    this.#from ??= at;
    this.#to = undefined;
    this.#kept.start(at - this.#from);
  }

  /** The element ends. */
  end(at: number): void {
    this.#kept.complete(at - (this.#from ?? at));
    this.#to = at;
  }

  /** The element ends, and is not kept. */
  drop(at: number): void {
    const from = this.#from ?? at;
    this.#kept.add(this.#text, from, from + this.#kept.drop());
    this.#from = undefined;
  }

  /** Another text is kept in place of what is between two offsets. */
  replace(from: number, to: number, text: string): void {
    this.#kept.add(this.#text, this.#from ?? from, from);
    this.#kept.add(text, 0, text.length);
    this.#from = to;
  }
}
