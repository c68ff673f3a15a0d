import type { Cast } from './cast.ts';

/** A line of a script: how it reads, and what it does; it resolves to what was answered, a line each. */
export type Line = { readonly reads: RegExp; readonly does: (cast: Cast, ...said: string[]) => Promise<readonly string[]> };

/** A line that reads as the pattern; what its groups match is said to `does`. */
export const line = (pattern: string, does: Line['does']): Line => ({ reads: new RegExp(`^${pattern}$`), does });
