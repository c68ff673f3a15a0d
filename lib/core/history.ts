import { dayMs } from './time.ts';

/** How long the history of a row is retained. */
export const historyForMs = 90 * dayMs;
