import * as z from 'zod';
import { What } from '../../../../lib/clients/actions/node-routes.ts';
import { ActionNumber, Fingerprint } from '../../../../lib/core/ids.ts';
import { EpochMs } from '../../../../lib/core/time.ts';

/** A client system that is not scheduled, and why. */
const Left = z.strictObject({ fp: Fingerprint, why: z.string() });
export type Left = z.infer<typeof Left>;

/** What became of a call of the server that schedules: the numbers of its actions, its refusal, or nobody knows. */
const Made = z.union([
  z.strictObject({ ids: z.array(z.int()) }),
  z.strictObject({ refused: z.string() }),
  z.strictObject({ unknown: z.literal(true) }),
]);
export type Made = z.infer<typeof Made>;

/** An action that this agent does not know, of a newer Muster: all of its client systems are left. */
const UnknownWhat = z.strictObject({ do: z.literal('unknown') });
/** What this agent was asked to do. */
export type Wanted = What | z.infer<typeof UnknownWhat>;

/**
 * The most client systems that one order reboots on a node: each is a call, before and after which the whole order is
 * written, some 100 bytes for each of them.
 */
export const rebootsMax = 500;

/** The part of this node in an action on client systems, as its agent has it on disk. */
export const Order = z.strictObject({
  version: z.literal(1),
  number: ActionNumber,
  what: z.union([What, UnknownWhat]),
  takenAt: EpochMs,
  /** The server is asked nothing after this moment. */
  until: EpochMs,
  /**
   * The moment that every call names as the earliest, in whole seconds, and no other order here has: what this agent
   * has scheduled is found by it, also after a call whose answer was lost.
   */
  earliest: EpochMs,
  /** Those that are scheduled, by their numbers on the server, in the order of the calls. */
  systems: z.array(z.strictObject({ fp: Fingerprint, sid: z.int() })),
  left: z.array(Left),
  /** What became of the calls so far. */
  made: z.array(Made),
  /** Since when the next call is under way: it was made, or was about to be. */
  begunAt: EpochMs.optional(),
  /** Actions of one client system each that have ended: why they have failed, or null. */
  closed: z.record(z.string(), z.strictObject({ is: z.enum(['done', 'failed', 'cancelled']), why: z.string() })),
  /** The number and the content of the last report that was sent, and the content of the last that Muster took. */
  seq: z.int().nonnegative(),
  sent: z.string().default(''),
  reported: z.string(),
});
export type Order = z.infer<typeof Order>;

/** The actions on the server that the order has so far. */
export const idsOf = ({ made }: Pick<Order, 'made'>): number[] => made.flatMap((one) => ('ids' in one ? one.ids : []));

/** How many calls schedule it: one for all client systems, or one for each where the server takes one at a time. */
export const callsOf = ({ what, systems }: Pick<Order, 'what' | 'systems'>): number =>
  what.do === 'reboot' ? systems.length : Math.min(1, systems.length);

/** Whether calls are left to make. */
export const isToSchedule = (order: Order): boolean => order.made.length < callsOf(order);

/** The client systems of the nth call. */
export const systemsOfCall = ({ what, systems }: Pick<Order, 'what' | 'systems'>, n: number): Order['systems'] =>
  what.do === 'reboot' ? systems.slice(n, n + 1) : systems;
