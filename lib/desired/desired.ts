import * as z from 'zod';

/** Slots that the node has lost while it serves: its release hook makes their clients knock now. `slots` of the zone, for finding them. */
export const ReleaseOrder = z.strictObject({
  mapVersion: z.int().nonnegative(),
  zoneSlots: z.int().positive(),
  slots: z.array(z.int().nonnegative()),
});
export type ReleaseOrder = z.infer<typeof ReleaseOrder>;

/** What a node should run and do. The row's revision is the ETag of `GET /nodes/{id}/desired`. */
export const Desired = z.strictObject({ release: z.array(ReleaseOrder) });
export type Desired = z.infer<typeof Desired>;

/** How many release orders wait at the most; older ones are dropped, their clients find out by their own interval. */
export const releasesMax = 16;
