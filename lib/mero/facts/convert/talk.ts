import { type Defect, type Path, shownPath } from '../../../core/defect.ts';
import { items, type Part } from '../check/walk.ts';
import type { Place } from '../text/text.ts';

/**
 * Something that the conversion changed or left out: what, at how many places, and the first of them in the old file.
 * Never a secret.
 */
export type Note = { readonly says: string; readonly times: number; readonly first: Path };

/** What is wrong with a role map, with the line where it is known. */
export type RoleDefect = { readonly says: string; readonly place?: Place | undefined };

/** What a conversion has to say, gathered while it goes. */
export class Talk {
  readonly defects: Defect[] = [];
  readonly roleDefects: RoleDefect[] = [];
  readonly #notes = new Map<string, { times: number; first: Path }>();
  readonly #origins = new WeakMap<object, Path>();

  /** The same note about many places is one. */
  note(says: string, path: Path): void {
    const before = this.#notes.get(says);
    if (before) before.times += 1;
    else this.#notes.set(says, { times: 1, first: path });
  }

  defect(path: Path, says: string): void {
    this.defects.push({ path, says });
  }

  /** Notes that something of the new file was made of what stands here in the old one, and gives it back. */
  made<T extends object>(path: Path, becomes: T): T {
    this.#origins.set(becomes, path);
    return becomes;
  }

  /**
   * The way in the old file to what a way in the new one leads to: from the last thing on it that was made of something
   * there, on by the same names.
   */
  originOf(file: object, path: Path): Path {
    let at: unknown = file;
    let origin: Path = [];
    for (const key of path) {
      at = typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined;
      const known = typeof at === 'object' && at !== null ? this.#origins.get(at) : undefined;
      origin = known ?? [...origin, key];
    }
    return origin;
  }

  /**
   * The mappings of a list in the old file. What is there and is no list is a defect, so that nothing is lost without a
   * word.
   */
  items(one: Part, key: string): Part[] {
    const list = one.value[key];
    const path = [...one.path, key];
    if (list !== undefined && list !== null && !Array.isArray(list)) this.defect(path, 'it is a list');
    const parts = items(one, key);
    for (const [n, { path }] of parts.entries())
      if (typeof (list as unknown[])[n] !== 'object' || (list as unknown[])[n] === null) this.defect(path, 'it is a mapping');
    return parts;
  }

  notes(): Note[] {
    return [...this.#notes].map(([says, { times, first }]) => ({ says, times, first }));
  }
}

/** A note as one line. */
export const shownNote = ({ says, times, first }: Note): string =>
  `${says} (${times === 1 ? shownPath(first) : `${times} times, first at ${shownPath(first)}`})`;
