import type { EpochMs } from '../../core/time.ts';
import { cached, type Shell } from '../../runtime/shell.ts';
import type { Place } from '../follow.ts';
import type { Segment } from '../segment/segment.ts';

/** The name under which the index is stored. Its segments have names of their own. */
export const indexName = 'index';

/** The stored index as an environment read or wrote it last. */
export type StoredLast = {
  /** The tag of its bytes; undefined where none is stored. */
  readonly tag: string | undefined;
  /** What it holds, as {@link KnownStored.signatureOf} writes it; undefined where it cannot be used. */
  readonly signature: string | undefined;
  /** When this environment stores again, at the earliest. */
  readonly nextAt: EpochMs;
};

/** The segments of each part, and how far the journals were read. */
export type Whole = { readonly parts: ReadonlyMap<string, readonly Segment[]>; readonly places: ReadonlyMap<string, Place> };

/** What an environment knows of the stored index. It holds no segment that the index has let go of. */
export class KnownStored {
  /** Undefined until this environment has read it. */
  last: StoredLast | undefined;
  #names = new WeakMap<Segment, string>();
  readonly #numbers = new WeakMap<Segment, number>();
  #count = 0;

  /** The name under which a segment is stored; undefined for one that the stored index does not name. */
  nameOf(segment: Segment): string | undefined {
    return this.#names.get(segment);
  }

  /** Notes that the stored index names a segment so. */
  named(segment: Segment, name: string): void {
    this.#names.set(segment, name);
  }

  /** Knows nothing any more: somebody else has stored an index, whose segments may be others. */
  forget(): void {
    this.last = undefined;
    this.#names = new WeakMap();
  }

  /** A text that is the same for the same segments and places, and for no others. */
  signatureOf({ parts, places }: Whole): string {
    return JSON.stringify([[...parts].map(([part, segments]) => [part, segments.map((one) => this.#numberOf(one))]), [...places]]);
  }

  #numberOf(segment: Segment): number {
    const number = this.#numbers.get(segment) ?? ++this.#count;
    this.#numbers.set(segment, number);
    return number;
  }
}

/** What an environment knows of the stored index. */
export const knownStored = (shell: Pick<Shell, 'caches'>): KnownStored => cached(shell, 'stored index', () => new KnownStored());
