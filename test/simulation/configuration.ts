import * as z from 'zod';
import { type Config, drawnBy, type FaultKind, faultNames, incidents } from './config.ts';

const Faults = z.partialRecord(z.enum(faultNames as [FaultKind, ...FaultKind[]]), z.number().min(0).max(1));

/** Every field of a configuration: one that is missing here would make a history that fails one that cannot be kept. */
const fields = {
  seed: z.int().min(0),
  gateway: z.boolean().optional(),
  shape: z.enum(['aws', 'embedded']).optional(),
  faults: Faults.optional(),
  nodes: z.int().min(0).max(100).optional(),
  clients: z.int().min(0).max(10_000).optional(),
  admins: z.int().min(0).max(100).optional(),
  automation: z.boolean().optional(),
  slots: z.literal([1024, 2048, 4096, 8192, 16_384, 32_768, 65_536]).optional(),
  admitEveryMs: z.int().min(0).max(3_600_000).optional(),
  adapts: z.boolean().optional(),
  capacity: z.int().min(1).max(10_000).optional(),
  hearsAtOnce: z.boolean().optional(),
  staysDueMs: z.int().min(0).max(60_000).optional(),
  planRows: z.int().min(6).max(100).optional(),
  clones: z.boolean().optional(),
  namesakes: z.boolean().optional(),
  boots: z.boolean().optional(),
  changes: z.boolean().optional(),
  legacy: z.boolean().optional(),
  enters: z.boolean().optional(),
  edits: z.boolean().optional(),
  acts: z.boolean().optional(),
  liars: z.boolean().optional(),
  metadata: z.boolean().optional(),
  incident: z.enum(incidents).optional(),
  upgrade: z.boolean().optional(),
  pins: z.boolean().optional(),
  pinnedAtOnce: z.int().min(1).max(100).optional(),
  webhooks: z.boolean().optional(),
  storage: z.boolean().optional(),
  loads: z.boolean().optional(),
  services: z.boolean().optional(),
  lateChecks: z.boolean().optional(),
  drifts: z.boolean().optional(),
  supervisors: z.boolean().optional(),
  stations: z.int().min(0).max(15).optional(),
  hands: z.boolean().optional(),
  hasty: z.boolean().optional(),
  previews: z.boolean().optional(),
  neighbours: z.boolean().optional(),
  readmit: z.literal('auto').optional(),
  vouched: z.boolean().optional(),
  replacement: z.boolean().optional(),
  steered: z.boolean().optional(),
  settlers: z.boolean().optional(),
  zones: z.int().min(1).max(3).optional(),
  faultMs: z.int().min(0).max(86_400_000).optional(),
  restMs: z.int().min(0).max(5_400_000).optional(),
} satisfies { readonly [Field in keyof Required<Config>]: z.ZodType };

/**
 * A configuration as people and the file of regressions write it: a seed, and whatever is to differ from what that seed
 * draws.
 */
export const GivenConfig = z.strictObject(fields);
export type GivenConfig = z.infer<typeof GivenConfig>;

/** All of it: what is given, and for the rest what the seed draws. */
export const configFrom = (given: GivenConfig): Config => ({ ...drawnBy(given), ...(given as Partial<Config>) });
