import * as z from 'zod';
import { Fqdn, NodeId, ZoneName } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs, hourMs, minuteMs, secondMs } from '../../core/time.ts';
import { BlobName, manifestBlobsMax } from '../../uyuni/content/blob.ts';

/** How many revisions are remembered: their documents can be compared and taken back. */
export const revisionsMax = 20;
/** How long an export may take, in ms, from the moment at which it may begin. */
export const exportMs = hourMs;
/**
 * How soon it is looked again how far a revision has come on so many servers, in ms: each look reads two rows a server,
 * of which there are 40 a second at the most.
 */
export const lookMs = (servers: number): number => Math.min(30 * secondMs, Math.max(2 * secondMs, servers * 50));
/** How often it is looked whether nodes have come that lack the revision, in ms. */
export const restMs = 10 * minuteMs;

/** What all servers of a zone are to have in common, as of a moment. */
export const Revision = z.strictObject({
  revision: z.int().positive(),
  /** The root of the tree of its documents, and how many they are. */
  root: z.string(),
  entries: z.int().nonnegative(),
  /** The blobs of its manifest. */
  manifest: z.array(BlobName).min(1).max(manifestBlobsMax),
  at: EpochMs,
  by: z.string(),
  because: z.string(),
  /** The server that it was read from. */
  node: NodeId,
  fqdn: Fqdn,
  /** What servers have beyond it is removed. */
  removes: z.literal(true).optional(),
  /** The revision whose documents these are, where an operator took them back. */
  of: z.int().positive().optional(),
});
export type Revision = z.infer<typeof Revision>;

/** An order that the agent of a server reads its content, which becomes the next revision. */
export const Exporting = z.strictObject({
  order: z.string(),
  node: NodeId,
  fqdn: Fqdn,
  generation: z.int().nonnegative(),
  /** When nothing can be edited there any more. */
  from: EpochMs,
  until: EpochMs,
  by: z.string(),
  because: z.string(),
  removes: z.literal(true).optional(),
});
export type Exporting = z.infer<typeof Exporting>;

/** The common content of a zone. */
export const ZoneContent = z.strictObject({
  zone: ZoneName,
  /** The number of the last revision; 0 before the first. */
  last: z.int().nonnegative(),
  /** The newest last. */
  revisions: z.array(Revision).max(revisionsMax),
  exporting: Exporting.optional(),
  /** The last revision is on its way, or was stopped, and why. */
  spreading: z.strictObject({ since: EpochMs, stopped: z.string().optional() }).optional(),
});
export type ZoneContent = z.infer<typeof ZoneContent>;

/** The common content of a zone, by the name of the zone. */
export const contentRef = refOf('content', ZoneContent);

/** The revision that all servers of the zone are to have; undefined before the first. */
export const revisionOf = ({ revisions }: ZoneContent): Revision | undefined => revisions.at(-1);
