import type { WorldName } from './worlds.ts';

/** A text of a file, and what stands there instead while the bug is planted. It must stand there exactly once. */
export type Patch = { readonly file: string; readonly find: string; readonly replace: string };

/** A mistake that somebody could make, and the invariant that must not let it pass. */
export type Bug = {
  readonly name: string;
  /** The invariant that finds it. */
  readonly breaks: string;
  /** What somebody may have thought, or what follows from it. */
  readonly why: string;
  /** Of the bugs that break its invariant this one is found with the least work, where that is not the first of them. */
  readonly soonest?: true;
  readonly patches: readonly Patch[];
  /** The world and seed in which it is found soonest; tried first, then other seeds of that world, then the seeds from 1 on. */
  readonly foundIn?: { readonly world: WorldName; readonly seed: number };
};

/** One text of a file replaced by another. */
export const patch = (file: string, find: string, replace: string): Patch => ({ file, find, replace });
