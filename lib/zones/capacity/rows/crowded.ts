import * as z from 'zod';
import { EpochMs } from '../../../core/time.ts';

/** Slots of nodes that are gone or leave, for which no node has room: they wait where they are. */
export const Crowded = z.strictObject({
  since: EpochMs,
  slots: z.int().positive(),
  /** Their clients, by the last counts. */
  clients: z.int().nonnegative(),
});
export type Crowded = z.infer<typeof Crowded>;
