import * as z from 'zod';
import { MusterError } from '../../core/errors.ts';

/** Bytes that are no segment of this format, or a part of one, or have been changed. The segment must be built anew. */
export class DamagedSegment extends MusterError {
  override readonly name = 'DamagedSegment';
  constructor(because: string, options?: ErrorOptions) {
    super('search.damaged-segment', `a segment cannot be read: ${because}; build it again`, 'never', options);
  }
}

/** The kinds of arrays in a segment. */
export type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array;

const Kind = z.enum(['u8', 'u16', 'u32', 'f64']);
type Kind = z.infer<typeof Kind>;

/**
 * Where an array is among the bytes behind the header and the description, and the CRC-32 of its bytes with their
 * padding.
 */
export const Section = z.object({ kind: Kind, at: z.int().min(0), length: z.int().min(0), sum: z.int().min(0) });
export type Section = z.infer<typeof Section>;

/** Every section begins at a multiple of 8, so that any array can be a view of the bytes. */
export const aligned = (bytes: number): number => Math.ceil(bytes / 8) * 8;

/** The arrays of a segment, each of which gets a number. */
export class SectionsWriter {
  readonly columns: Column[] = [];

  /** Takes an array. Gives its number. */
  add(column: Column): number {
    return this.columns.push(column) - 1;
  }
}

/** The kind of an array. */
export function kindOf(column: Column): Kind {
  if (column instanceof Uint8Array) return 'u8';
  if (column instanceof Uint16Array) return 'u16';
  return column instanceof Uint32Array ? 'u32' : 'f64';
}

/**
 * The arrays of a segment as views of its bytes, by their numbers. Throws {@link DamagedSegment} for one of another
 * kind.
 */
export class SectionsReader {
  readonly #bytes: Uint8Array;
  readonly #sections: readonly Section[];

  /** `bytes` are those behind the description, at a multiple of 8 of their buffer. */
  constructor(bytes: Uint8Array, sections: readonly Section[]) {
    this.#bytes = bytes;
    this.#sections = sections;
  }

  u8(number: number): Uint8Array {
    const column = this.any(number);
    return column instanceof Uint8Array ? column : this.#isOther(number);
  }

  u32(number: number): Uint32Array {
    const column = this.any(number);
    return column instanceof Uint32Array ? column : this.#isOther(number);
  }

  f64(number: number): Float64Array {
    const column = this.any(number);
    return column instanceof Float64Array ? column : this.#isOther(number);
  }

  /** Whole numbers in one of the three sizes. */
  whole(number: number): Uint8Array | Uint16Array | Uint32Array {
    const column = this.any(number);
    return column instanceof Float64Array ? this.#isOther(number) : column;
  }

  any(number: number): Column {
    const section = this.#sections[number];
    if (!section) throw new DamagedSegment(`it has no section ${number}`);
    const { buffer, byteOffset } = this.#bytes;
    const at = byteOffset + section.at;
    switch (section.kind) {
      case 'u8':
        return new Uint8Array(buffer, at, section.length);
      case 'u16':
        return new Uint16Array(buffer, at, section.length);
      case 'u32':
        return new Uint32Array(buffer, at, section.length);
      case 'f64':
        return new Float64Array(buffer, at, section.length);
    }
  }

  #isOther(number: number): never {
    throw new DamagedSegment(`section ${number} is of another kind than it should be`);
  }
}

/** How many bytes an entry of a section takes. */
export const entryBytes: Readonly<Record<Kind, number>> = { u8: 1, u16: 2, u32: 4, f64: 8 };
