import { type Defect, type Path, pathText } from '../../../core/defect.ts';
import { items, type Part } from '../check/walk.ts';
import type { Place } from '../text/text.ts';

/**
 * Something that the conversion changed or left out: what, at how many places, and the first of them in the old file. A
 * note never has a secret.
 */
export type Note = { readonly says: string; readonly times: number; readonly first: Path };

/** A defect of a role map, with the place where it is known. */
export type RoleDefect = { readonly says: string; readonly place?: Place | undefined };

/** The notes and defects of a conversion, gathered while it runs. */
export class Talk {
  readonly defects: Defect[] = [];
  readonly roleDefects: RoleDefect[] = [];
  readonly #notes = new Map<string, { times: number; first: Path }>();
  readonly #origins = new WeakMap<object, Path>();

  /** Adds a note. The same note about many places counts as one. */
  note(says: string, path: Path): void {
    const before = this.#notes.get(says);
    if (before) before.times += 1;
    else this.#notes.set(says, { times: 1, first: path });
  }

  defect(path: Path, says: string): void {
    this.defects.push({ path, says });
  }

  /** Records that something of the new file was made of what is at this path of the old one, and returns it. */
  made<T extends object>(path: Path, becomes: T): T {
    this.#origins.set(becomes, path);
    return becomes;
  }

  /**
   * The path in the old file for a path in the new one: that of the last thing on the path with a recorded origin,
   * continued by the same names.
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
   * The mappings of a list in the old file. Anything there that is not a list is a defect, so that nothing is lost
   * silently.
   */
  items(one: Part, key: string): Part[] {
    const list = one.value[key];
    const path = [...one.path, key];
    if (list !== undefined && list !== null && !Array.isArray(list)) this.defect(path, 'it must be a list');
    const parts = items(one, key);
    for (const [n, { path }] of parts.entries())
      if (typeof (list as unknown[])[n] !== 'object' || (list as unknown[])[n] === null) this.defect(path, 'it must be a mapping');
    return parts;
  }

  notes(): Note[] {
    return [...this.#notes].map(([says, { times, first }]) => ({ says, times, first }));
  }
}

/** A note as one line. */
export const noteText = ({ says, times, first }: Note): string =>
  `${says} (${times === 1 ? pathText(first) : `${times} times, first at ${pathText(first)}`})`;
