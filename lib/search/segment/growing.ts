/** A list of whole numbers below 2^32 that grows, without an object an entry. */
export class Growing {
  #entries = new Uint32Array(64);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(entry: number): void {
    if (this.#length === this.#entries.length) {
      const grown = new Uint32Array(this.#length * 2);
      grown.set(this.#entries);
      this.#entries = grown;
    }
    this.#entries[this.#length++] = entry;
  }

  /** The entries so far, which are the list's own. */
  view(): Uint32Array {
    return this.#entries.subarray(0, this.#length);
  }

  /** The entries so far in an array of their own. */
  taken(): Uint32Array {
    return this.#entries.slice(0, this.#length);
  }
}

/** A number, or none, for each of some documents that come one after another. */
export class GrowingNumbers {
  #values = new Float64Array(64).fill(Number.NaN);

  /** Sets the number of a document, which is not before any that has one. */
  set(ordinal: number, value: number): void {
    if (ordinal >= this.#values.length) {
      const grown = new Float64Array(Math.max(ordinal + 1, this.#values.length * 2)).fill(Number.NaN, this.#values.length);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[ordinal] = value;
  }

  /** The numbers of the first `size` documents; NaN where there is none. */
  taken(size: number): Float64Array {
    const values = new Float64Array(size).fill(Number.NaN);
    values.set(this.#values.subarray(0, Math.min(size, this.#values.length)));
    return values;
  }
}

/** Bytes that grow. */
export class GrowingBytes {
  #bytes = Buffer.from(new ArrayBuffer(4_096));
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  /** Adds a text in an encoding, of which a character takes 3 bytes at most. */
  write(text: string, encoding: 'utf8' | 'hex'): void {
    this.#reserve(text.length * 3);
    this.#length += this.#bytes.write(text, this.#length, encoding);
  }

  /** The bytes so far in an array of their own. */
  taken(): Uint8Array {
    return new Uint8Array(this.#bytes.buffer, 0, this.#length).slice();
  }

  #reserve(more: number): void {
    const needed = this.#length + more;
    if (needed <= this.#bytes.length) return;
    const grown = Buffer.from(new ArrayBuffer(Math.max(needed, this.#bytes.length * 2)));
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}
