import * as z from 'zod';
import { ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs } from '../../core/time.ts';
import { Identity, LayoutPage, LoadSize } from '../facts/load/parts.ts';

/**
 * A load under way: facts that are written row by row, and that are invisible until the cluster's row names them. A
 * cluster has one at a time. The row ends with the load; rows that never became visible are garbage from then on.
 */
export const MeroLoad = z.strictObject({
  load: z.string(),
  identity: Identity,
  size: LoadSize,
  /** The number after which its fids begin. */
  base: z.int().nonnegative(),
  begunAt: EpochMs,
  /** When it was last begun or resumed. */
  seenAt: EpochMs,
  /** It is being checked as a whole, and takes no parts. Resuming it takes parts again. */
  ending: z.literal(true).optional(),
});
export type MeroLoad = z.infer<typeof MeroLoad>;

/** A stored page of what a cluster is besides its servers; `base` as in the load that wrote it. */
export const Layout = z.strictObject({ load: z.string(), base: z.int().nonnegative(), digest: z.string(), page: LayoutPage });
export type Layout = z.infer<typeof Layout>;

/** A record that a part of the servers was written whole: a caller that resumes the load does not send it again. */
export const LoadedPart = z.strictObject({ load: z.string(), digest: z.string() });
export type LoadedPart = z.infer<typeof LoadedPart>;

/** The most parts of a load; each has a number. */
export const partsMax = 100_000;

/**
 * How far a cluster's rows were searched for those that are out of reach: rows of a load that was given up, of an
 * endpoint whose process is gone, of a zone that was deleted. The row is due when the next search is.
 */
export const Garbage = z.strictObject({
  zone: ZoneName,
  /** The sort key after which the search continues; absent at its beginning. */
  after: z.string().optional(),
  /** Something was removed since its beginning. */
  found: z.literal(true).optional(),
  /** The zone was deleted: everything goes, and this row with the last search, which finds nothing. */
  ended: z.literal(true).optional(),
});

export type Garbage = z.infer<typeof Garbage>;

/** A load that is under way, by the name of its zone. */
export const loadRef = refOf('mero-load', MeroLoad);
const pageOf = (zone: string, load: string, n: number): string => `${zone}/${load}.${n}`;
/** A page of the layout that a load brings. */
export const layoutRef = refOf('layout', Layout, pageOf);
/** A part of a load that is there. */
export const loadedPartRef = refOf('loaded-part', LoadedPart, pageOf);
/** The search for rows out of reach, by the name of the zone. */
export const garbageRef = refOf('garbage', Garbage);
