import * as z from 'zod';
import { ZoneName } from '../../../core/ids.ts';
import { refOf } from '../../../core/ref.ts';
import { EpochMs } from '../../../core/time.ts';

/** The most systems that an adoption names among those it has left: some 10 KB of a row that every commit writes. */
export const examplesMax = 50;

/** The adoption of a node's systems that was ordered last. */
export const Adoption = z.strictObject({
  zone: ZoneName,
  /** Which order it is, and who gave it. */
  order: z.string(),
  by: z.string(),
  orderedAt: EpochMs,
  /** Nothing is adopted: what would become of each system is counted alone. */
  dryRun: z.literal(true).optional(),
  /** Systems are adopted although another key made one of their claims first. */
  duplicates: z.literal(true).optional(),
  /** The node as a member: one that has joined anew since has other systems. */
  generation: z.int().nonnegative(),
  state: z.enum(['ordered', 'under-way', 'done', 'failed']),
  /** When it went on last. */
  at: EpochMs,
  /** The minion id of the last system that was taken; they come in the order of their minion ids. */
  after: z.string().optional(),
  /** How many systems the server has, as its agent reports. */
  total: z.int().nonnegative().optional(),
  adopted: z.int().nonnegative(),
  known: z.int().nonnegative(),
  left: z.int().nonnegative(),
  /** The first that were left. */
  examples: z.array(z.strictObject({ minion: z.string(), name: z.string(), because: z.string() })),
  /** Why it failed, in the words of the agent. */
  why: z.string().optional(),
});
export type Adoption = z.infer<typeof Adoption>;

/** The adoption of the systems of a node, by the id of the node. */
export const adoptionRef = refOf('adoption', Adoption);
