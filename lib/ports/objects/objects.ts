import type { EpochMs } from '../../core/time.ts';

/**
 * Bytes that are stored under a name, and never a Buffer; and a tag that tells them from all others under that name.
 */
export type StoredObject = { readonly bytes: Uint8Array; readonly tag: string };

/** The name of something that is stored, and when it was written last. */
export type ListedObject = { readonly name: string; readonly at: EpochMs };

/**
 * Bytes under names: for what can be made again when it is lost, such as the index of searches. A reader gets all of a
 * write or nothing of it, also after a crash in the middle. Every verb throws a RangeError for a name that is not of
 * {@link nameForm}, and Later for transient failures.
 */
export type Objects = {
  /** The bytes under a name; undefined if there are none. */
  readonly read: (name: string) => Promise<StoredObject | undefined>;
  /** Stores bytes under a name, in place of those that were there. They are durable once it resolves. */
  readonly write: (name: string, bytes: Uint8Array) => Promise<void>;
  /**
   * As `write`, but only in place of the bytes with this tag, or of nothing where it is undefined. Gives the new tag;
   * undefined if others are there, and then nothing is written.
   */
  readonly replace: (name: string, bytes: Uint8Array, tag: string | undefined) => Promise<string | undefined>;
  /** Everything that is stored, in the order of names. */
  readonly list: () => Promise<readonly ListedObject[]>;
  /** Removes what is stored under a name, if anything is. */
  readonly remove: (name: string) => Promise<void>;
};

/** Bytes as they are, without what a Buffer does otherwise: its slices are no copies. */
export const plain = ({ buffer, byteOffset, length }: Uint8Array): Uint8Array => new Uint8Array(buffer, byteOffset, length);

/** Names that are good as names of files, and as parts of keys. */
export const nameForm = /^[a-z0-9][a-z0-9-]{0,79}$/;

/** The name, if it is one. Throws a RangeError otherwise. */
export function admittedName(name: string): string {
  if (!nameForm.test(name)) throw new RangeError(`${JSON.stringify(name)} is no name of an object`);
  return name;
}
