import * as z from 'zod';
import { secondMs } from './time.ts';

/**
 * How often a process or service that failed by itself is restarted, and after how long each time, in ms. Muster
 * restarts it; while Muster is away, its agents do.
 */
export const Restart = z.strictObject({ attemptsMax: z.int().nonnegative(), everyMs: z.int().positive() });

export type Restart = z.infer<typeof Restart>;

/** The default rule: as often as the original starts a process. */
export const usualRestart: Restart = { attemptsMax: 5, everyMs: 5 * secondMs };
