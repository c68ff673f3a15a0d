import type { Kernel } from '../kernel.ts';
import type { Watcher } from '../watching.ts';
import type { World } from '../world/world.ts';

/** What an invariant may look at, and where it says that it was violated. */
export type Court = {
  readonly kernel: Kernel;
  /** The world; only there once its history has begun. */
  readonly world: () => World;
  readonly violated: (what: string) => void;
};

/** One promise of the product, as a watcher of histories. */
export type Invariant = {
  readonly name: string;
  /** The promise in a sentence. */
  readonly says: string;
  readonly begin: (court: Court) => Watcher & {
    /** What is not yet at rest, each with a reason; empty once it is. Asked only in a healed world. */
    readonly unrest?: () => readonly string[];
  };
};
