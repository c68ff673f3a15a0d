import * as z from 'zod';
import { Fqdn, NodeId } from '../../core/ids.ts';
import { refOf } from '../../core/ref.ts';
import { EpochMs, minuteMs, secondMs } from '../../core/time.ts';

/**
 * How long common content is open at the seat from a grant on, in ms. Everybody who was granted to edit asks again
 * before that, and another node becomes the seat only after it.
 */
export const grantMs = 3 * minuteMs;
/**
 * A grant is renewed when less than this is left of it, in ms: the agent of the seat learns that by a heartbeat, of
 * which there is one each minute or more often in fleets of up to 3,000 nodes.
 */
export const renewMs = 2 * minuteMs;
/** How long nothing is open anywhere between two nodes that are the seat, in ms: clocks of machines differ. */
export const clocksMs = 5 * secondMs;
/** An editor who says nothing for this long does not edit any more, in ms. */
export const idleMs = 30 * minuteMs;
/** What is recorded about an editor, or about changes at a node, may be this old, in ms: not each call is a write. */
export const noteMs = minuteMs;
/** The most people that edit in a zone at the same time: some 8 KB of a row that a sweep may write. */
export const editorsMax = 50;
/** The most nodes whose own changes are remembered: the newest. */
export const aheadMax = 20;

/** Where an editor comes from: by Muster's own page, command line or API, or by calls at a gateway. */
export const Via = z.enum(['muster', 'gateway']);
export type Via = z.infer<typeof Via>;

/** Who edits: a caller of Muster, or the login of a person at the servers. */
export const Editor = z.strictObject({
  who: z.string().min(1).max(200),
  via: Via,
  /** The caller of Muster that says so: the person, or the key of a gateway. */
  by: z.string(),
  since: EpochMs,
  /** When the editor was last heard of. */
  at: EpochMs,
});
export type Editor = z.infer<typeof Editor>;

/** A node as a member of the zone: one that has joined anew since, of another generation, has other content. */
const place = { node: NodeId, fqdn: Fqdn, generation: z.int().nonnegative() };

/** The node that is the seat. */
export const Seated = z.strictObject({
  ...place,
  since: EpochMs,
  /** Until when common content is open there. */
  until: EpochMs,
  editors: z.array(Editor).min(1).max(editorsMax),
});
export type Seated = z.infer<typeof Seated>;

/**
 * Where the common content of a zone is edited: nowhere while nobody edits. The row stays, so that no two elections
 * have the same epoch.
 */
export const Seat = z.strictObject({
  /** Counts the elections. */
  epoch: z.int().nonnegative(),
  seated: Seated.optional(),
  /** The seat before, where common content may still be open: until when. */
  before: z.strictObject({ ...place, epoch: z.int().positive(), until: EpochMs }).optional(),
  /** Nodes with changes of common content that the others do not have, the one that was changed last first. */
  ahead: z
    .array(z.strictObject({ ...place, at: EpochMs }))
    .max(aheadMax)
    .optional(),
  /** The content of a node is read as the next revision, by this order: nobody edits meanwhile, until a moment. */
  reading: z.strictObject({ order: z.string(), node: NodeId, fqdn: Fqdn, until: EpochMs }).optional(),
});
export type Seat = z.infer<typeof Seat>;

/** How soon somebody who is refused while content is read may ask again, in ms. */
export const readMs = 15 * secondMs;

/**
 * Whether a node, in this generation, has or may get changes of common content that the others do not have: no revision
 * may replace them.
 */
export const hasOwnChanges = (
  seat: Seat | undefined,
  { node, generation }: { readonly node: NodeId; readonly generation: number },
): boolean =>
  seat?.reading?.node === node ||
  [...(seat?.seated ? [seat.seated] : []), ...(seat?.ahead ?? [])].some((one) => one.node === node && one.generation === generation);

/** The seat of a zone, by the name of the zone. */
export const seatRef = refOf('seat', Seat);
