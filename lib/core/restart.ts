import * as z from 'zod';
import { secondMs } from './time.ts';

/**
 * How often what failed by itself is started again, and after how long each time, in ms. Muster does so; while it is
 * away its agents do.
 */
export const Restart = z.strictObject({ attemptsMax: z.int().nonnegative(), everyMs: z.int().positive() });

export type Restart = z.infer<typeof Restart>;

/** The rule that holds where nothing else is said: as often as the original starts a process. */
export const usualRestart: Restart = { attemptsMax: 5, everyMs: 5 * secondMs };
