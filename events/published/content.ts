import * as z from 'zod';
import { Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
import { defineEvent } from '../define.ts';

/** A revision of common content, and the server that it was read from. */
const revision = { zone: ZoneName, revision: z.int().positive(), node: NodeId, fqdn: Fqdn };

/**
 * A new revision of the common content of a zone goes to its servers; `of` is the earlier one whose documents were
 * taken back.
 */
export const ContentApplying = defineEvent(
  'content.applying',
  1,
  z.strictObject({
    ...revision,
    entries: z.int().nonnegative(),
    by: z.string(),
    because: z.string(),
    of: z.int().positive().optional(),
  }),
);
/** All servers of the zone that are up have the revision, but for those that failed. */
export const ContentApplied = defineEvent(
  'content.applied',
  1,
  z.strictObject({ ...revision, servers: z.int().nonnegative(), failed: z.int().nonnegative() }),
);
/** The content could not be read, or too many servers could not take the revision, and why. */
export const ContentFailed = defineEvent('content.failed', 1, z.strictObject({ ...revision, why: z.string() }));
