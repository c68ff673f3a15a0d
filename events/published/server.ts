import * as z from 'zod';
import { Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
import { defineEvent } from '../define.ts';

/** A thing on a server: its number there, and its own name where that is known. One that is gone may have none. */
const Thing = z.strictObject({ number: z.int(), name: z.string().max(1_000).optional() });
export type Thing = z.infer<typeof Thing>;

/** What a statement did to more rows than it names: how many rows of a table, and a hash of them in any order. */
const Bulk = z.strictObject({ table: z.string(), op: z.string(), rows: z.int().nonnegative(), digest: z.string() });
export type Bulk = z.infer<typeof Bulk>;

const ofServer = { node: NodeId, fqdn: Fqdn, zone: ZoneName };
const changed = { bulk: z.array(Bulk).optional(), why: z.string().optional() };

/**
 * These systems have changed on the Uyuni server of the node: `name` is the id of the minion. Without `systems`, any of
 * them may have changed.
 */
export const SystemsHaveChanged = defineEvent(
  'system.changed',
  1,
  z.strictObject({ ...ofServer, systems: z.array(Thing).optional(), ...changed }),
);
/**
 * These things of one kind have changed on the Uyuni server of the node, such as channels. Without `things`, any of
 * that kind may have changed; without `kind`, anything.
 */
export const ContentHasChanged = defineEvent(
  'content.changed',
  1,
  z.strictObject({ ...ofServer, kind: z.string().optional(), things: z.array(Thing).optional(), ...changed }),
);
