import * as z from 'zod';
import { Fqdn, NodeId, ZoneName } from '../../lib/core/ids.ts';
import { defineEvent } from '../define.ts';

const seat = { zone: ZoneName, node: NodeId, fqdn: Fqdn, epoch: z.int().positive() };
const editor = { who: z.string().max(200), via: z.enum(['muster', 'gateway']) };

/**
 * A node became the seat of its zone, because somebody edits common content: it is edited there, and on no other node.
 */
export const SeatElected = defineEvent('seat.elected', 1, z.strictObject(seat));
/** Somebody began to edit at the seat; `editors` is how many edit there now. */
export const SeatEntered = defineEvent('seat.entered', 1, z.strictObject({ ...seat, ...editor, editors: z.int().positive() }));
/** Somebody edits no more, and why; `editors` is how many still edit at the seat. */
export const SeatLeft = defineEvent(
  'seat.left',
  1,
  z.strictObject({ ...seat, ...editor, editors: z.int().nonnegative(), why: z.string() }),
);
/**
 * The node cannot be the seat any more, and why; `editors` edited there. `isAhead`: it has changes that the other nodes
 * of the zone do not have.
 */
export const SeatLost = defineEvent(
  'seat.lost',
  1,
  z.strictObject({ ...seat, editors: z.int().positive(), isAhead: z.boolean(), why: z.string() }),
);
/** The last editor has left, and no node is the seat. `isAhead`: this node has changes that the others do not have. */
export const SeatEnded = defineEvent('seat.ended', 1, z.strictObject({ ...seat, isAhead: z.boolean() }));
