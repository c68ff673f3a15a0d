import type { WorldName } from './worlds.ts';

/**
 * A text of the code, and what stands there instead while the bug is planted. It stands exactly once in all of the
 * code, which is how its file is found: a file can be moved or renamed, and its bugs stay planted in it.
 */
export type Patch = { readonly find: string; readonly replace: string };

/** A mistake that somebody could make, and the invariant that must not let it pass. */
export type Bug = {
  readonly name: string;
  /** The invariant that finds it. */
  readonly breaks: string;
  /** What somebody may have thought, or what follows from it. */
  readonly why: string;
  /**
   * Of the bugs that break its invariant this one is found with the least work, where that is not the first of them.
   */
  readonly soonest?: true;
  readonly patches: readonly Patch[];
  /**
   * The world and seed in which it is found soonest; tried first, then other seeds of that world, then the seeds from 1
   * on.
   */
  readonly foundIn?: { readonly world: WorldName; readonly seed: number };
};

/** One text of the code replaced by another. */
export const patch = (find: string, replace: string): Patch => ({ find, replace });
