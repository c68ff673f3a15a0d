import * as z from 'zod';
import { Lineage } from '../../../access/subjects/rows/lineage.ts';
import { Fqdn, NodeId, ZoneName } from '../../../core/ids.ts';
import { refOf } from '../../../core/ref.ts';
import { EpochMs, minuteMs, secondMs } from '../../../core/time.ts';
import { secretIdForm } from '../../../identity/secret-text.ts';
import { EnterPath } from './path.ts';

/** How long a ticket lets a person in: a browser sends it on at once. */
export const ticketForMs = 30 * secondMs;
/** How long the row stays after that, so that a ticket that comes late or again is refused with the reason. */
export const keptForMs = 10 * minuteMs;

/** The public part of a ticket. */
export const TicketId = z.string().regex(secretIdForm, 'the id of a ticket is 12 lower-case letters and digits');

/** What became of a ticket on its server: the login as which the person entered, or why nobody did. */
export const Entry = z.union([z.strictObject({ login: z.string().min(1).max(64) }), z.strictObject({ why: z.string().min(1).max(300) })]);
export type Entry = z.infer<typeof Entry>;

/** A ticket by which one person enters one server once. Only a hash of its secret is stored. */
export const Ticket = z.strictObject({
  id: TicketId,
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  zone: ZoneName,
  /** The node for which it was made; one that has joined anew since has another generation. */
  node: NodeId,
  fqdn: Fqdn,
  generation: z.int().nonnegative(),
  /** Who enters: to whom calls of this person are attributed, and the name for people. */
  who: z.string(),
  name: z.string(),
  /** The session or API key that asked for it, and what that was made with. */
  key: z.string().optional(),
  madeBy: Lineage,
  path: EnterPath,
  createdAt: EpochMs,
  expiresAt: EpochMs,
  /** The call by which a node presented it; `refused`: it was spoiled by that, for this reason. */
  presented: z.strictObject({ by: z.string(), node: NodeId, at: EpochMs, refused: z.string().optional() }).optional(),
  entry: Entry.optional(),
});
export type Ticket = z.infer<typeof Ticket>;

/** The row of a ticket, by its public part. */
export const ticketRef = refOf('ticket', Ticket);
